#ifndef POSENC_CLI_ENCODING_COMMAND_H_
#define POSENC_CLI_ENCODING_COMMAND_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace posenc::cli {

// `posenc encoding show`, `get` and `plot`. *action is set when the command is
// chosen; it must outlive the parse of `app`.
void AddEncodingCommand(CLI::App& app, Action* action);

}  // namespace posenc::cli

#endif  // POSENC_CLI_ENCODING_COMMAND_H_
