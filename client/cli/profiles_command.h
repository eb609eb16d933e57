#ifndef POSENC_CLI_PROFILES_COMMAND_H_
#define POSENC_CLI_PROFILES_COMMAND_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace posenc::cli {

// `posenc encoding ls`: the named specs.
void AddProfilesCommand(CLI::App& encoding, Action* action);

}  // namespace posenc::cli

#endif  // POSENC_CLI_PROFILES_COMMAND_H_
