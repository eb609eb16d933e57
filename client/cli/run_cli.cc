#include "client/cli/run_cli.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "client/cli/cache_command.h"
#include "client/cli/encode_command.h"
#include "client/cli/encoding_command.h"
#include "client/cli/exit_code.h"
#include "client/cli/status_command.h"
#include "client/cli/tables_command.h"

namespace posenc::cli {
namespace {

constexpr char kPosencFooter[] =
    R"(Results go to standard output, all else to standard error.

Exit codes: 0 done; 1 the server refused the request; 2 bad usage, or a file
that cannot be read or written; 3 the server cannot be reached, does not serve,
or did not answer in time; 130 interrupted.

Example:
  posenc encode --ids 101,1996,4248,102 --table words)";

constexpr double kMostSeconds = 1e6;

// The help of a command does not list the options that all of them share.
class CommandFormatter : public CLI::Formatter {
 public:
  std::string make_footer(const CLI::App* app) const override {
    const std::string footer = CLI::Formatter::make_footer(app);
    if (app->get_parent() == nullptr) return footer;
    return footer +
           "\n--address, --timeout and --json go here, too: see "
           "posenc --help.\n";
  }
};

void AddGlobalOptions(CLI::App& app, GlobalOptions* options) {
  app.add_option("--address", options->address, "The server")
      ->envname("POSENC_ADDRESS")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  app.add_option("--timeout", options->timeout_seconds,
                 "How long to wait for an answer")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check([](const std::string& text) -> std::string {
        double seconds = 0;
        if (absl::SimpleAtod(text, &seconds) && seconds >= 0.001 &&
            seconds <= kMostSeconds) {
          return "";
        }
        return "'" + text + "' is not a number of seconds from 0.001 to 1e6";
      });
  app.add_flag("--json", options->json, "Answer, and fail, in JSON");
  app.set_version_flag("--version", "posenc " POSENC_VERSION,
                       "Print the version");
}

// Before the command line has been understood.
bool AsksForJson(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json") return true;
  }
  return false;
}

int FinishParse(const CLI::App& app, const CLI::ParseError& error, bool json,
                const Environment& environment) {
  if (error.get_exit_code() == 0) {  // --help or --version
    return app.exit(error, environment.out, environment.err);
  }
  std::string message = error.what();
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  if (!unknown.empty()) {
    // CLI11 may complain of the command that it misses instead.
    message = "what is '" + unknown.front() + "'?";
  }
  PrintError(LocalError(message), json, environment.err);
  if (!json) environment.err << "Run with --help for more.\n";
  return static_cast<int>(ExitCode::kUsage);
}

absl::Status Act(const Action& action, Session& session) {
  if (absl::Status status = action(session); !status.ok()) return status;
  session.out().flush();
  if (!session.out()) return LocalError("cannot write to standard output");
  return absl::OkStatus();
}

}  // namespace

int RunCli(int argc, const char* const* argv, const Environment& environment) {
  CLI::App app("Puts positions into tensors, through a posenc server.",
               "posenc");
  app.fallthrough();
  app.formatter(std::make_shared<CommandFormatter>());
  app.require_subcommand(1);
  app.footer(kPosencFooter);
  GlobalOptions options;
  AddGlobalOptions(app, &options);
  Action action;
  AddEncodeCommand(app, &action);
  AddEncodingCommand(app, &action);
  AddTablesCommand(app, &action);
  AddCacheCommand(app, &action);
  AddStatusCommand(app, &action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return FinishParse(app, error, AsksForJson(argc, argv), environment);
  }
  Session session(options, environment);
  const absl::Status status = Act(action, session);
  if (!status.ok()) PrintError(status, options.json, environment.err);
  return static_cast<int>(ExitCodeFor(status));
}

}  // namespace posenc::cli
