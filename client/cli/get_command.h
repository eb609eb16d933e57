#ifndef POSENC_CLI_GET_COMMAND_H_
#define POSENC_CLI_GET_COMMAND_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace posenc::cli {

// `posenc encoding get`. *action is set when the command is chosen; it must
// outlive the parse of `encoding`.
void AddGetCommand(CLI::App& encoding, Action* action);

}  // namespace posenc::cli

#endif  // POSENC_CLI_GET_COMMAND_H_
