#ifndef POSENC_CLI_RUN_CLI_H_
#define POSENC_CLI_RUN_CLI_H_

#include "client/cli/session.h"

namespace posenc::cli {

// The whole command: reads the command line, does what it says, and gives the
// process's exit code (see exit_code.h). Results go to environment.out, all
// else to environment.err.
int RunCli(int argc, const char* const* argv, const Environment& environment);

}  // namespace posenc::cli

#endif  // POSENC_CLI_RUN_CLI_H_
