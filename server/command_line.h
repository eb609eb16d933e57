#ifndef POSENC_SERVER_COMMAND_LINE_H_
#define POSENC_SERVER_COMMAND_LINE_H_

#include <optional>
#include <ostream>

#include "server/config.h"

namespace posenc::server {

// Reads flags and the config file that they name into a checked Config. When
// the process is to end instead (--help, --version, --print-config, or an
// error, whose reason goes to `err`), `exit_code` is set.
struct CommandLine {
  Config config;
  std::optional<int> exit_code;
};

CommandLine ReadCommandLine(int argc, const char* const* argv,
                            std::ostream& out, std::ostream& err);

}  // namespace posenc::server

#endif  // POSENC_SERVER_COMMAND_LINE_H_
