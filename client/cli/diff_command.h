#ifndef POSENC_CLI_DIFF_COMMAND_H_
#define POSENC_CLI_DIFF_COMMAND_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace posenc::cli {

// `posenc encoding diff A B`: where two encodings part.
void AddDiffCommand(CLI::App& encoding, Action* action);

}  // namespace posenc::cli

#endif  // POSENC_CLI_DIFF_COMMAND_H_
