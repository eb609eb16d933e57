#include <csignal>
#include <iostream>

#include "client/cli/run_cli.h"
#include "client/cli/terminal.h"
#include "posenc/client.h"

namespace {

volatile std::sig_atomic_t interrupted = 0;

// The first Ctrl-C cancels the call; a second one ends the process, as does one
// before there is a call to cancel.
void CatchInterrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  const posenc::cli::Environment environment{
      .connect =
          [](const posenc::ClientOptions& options) {
            absl::StatusOr<posenc::Client> client =
                posenc::Client::Connect(options);
            CatchInterrupt();
            return client;
          },
      .out = std::cout,
      .err = std::cerr,
      .cancelled = [] { return interrupted != 0; },
      .terminal = posenc::cli::DetectTerminal(),
  };
  return posenc::cli::RunCli(argc, argv, environment);
}
