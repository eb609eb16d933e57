#ifndef POSENC_CLI_STATUS_COMMAND_H_
#define POSENC_CLI_STATUS_COMMAND_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace posenc::cli {

// `posenc status`. *action is set when the command is chosen;
// it must outlive the parse of `app`.
void AddStatusCommand(CLI::App& app, Action* action);

}  // namespace posenc::cli

#endif  // POSENC_CLI_STATUS_COMMAND_H_
