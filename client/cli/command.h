#ifndef POSENC_CLI_COMMAND_H_
#define POSENC_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <memory>

#include "client/cli/session.h"

namespace posenc::cli {

// Adds a command: a struct with AddTo(CLI::App&), which binds its options to
// it, and absl::Status Run(Session&) const. When the command line chooses it,
// *action becomes its Run; `action` must outlive the parse of `parent`.
template <typename Command>
void AddCommand(CLI::App& parent, const char* name, const char* help,
                Action* action) {
  CLI::App* const app = parent.add_subcommand(name, help);
  auto command = std::make_shared<Command>();
  command->AddTo(*app);
  app->callback([command, action] {
    *action = [command](Session& session) { return command->Run(session); };
  });
}

}  // namespace posenc::cli

#endif  // POSENC_CLI_COMMAND_H_
