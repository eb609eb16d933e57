#ifndef POSENC_CLI_TABLES_COMMAND_H_
#define POSENC_CLI_TABLES_COMMAND_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace posenc::cli {

// `posenc tables ls` and `show`. *action is set when the command is chosen;
// it must outlive the parse of `app`.
void AddTablesCommand(CLI::App& app, Action* action);

}  // namespace posenc::cli

#endif  // POSENC_CLI_TABLES_COMMAND_H_
