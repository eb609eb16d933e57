#ifndef POSENC_CLI_SESSION_H_
#define POSENC_CLI_SESSION_H_

#include <chrono>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/progress.h"
#include "client/cli/terminal.h"
#include "posenc/client.h"

namespace posenc::cli {

using Connector =
    std::function<absl::StatusOr<posenc::Client>(const posenc::ClientOptions&)>;

// All that a run of the command reaches outside itself, files apart.
struct Environment {
  Connector connect;
  std::ostream& out;
  std::ostream& err;
  // Whether the user has asked to stop.
  std::function<bool()> cancelled = [] { return false; };
  Terminal terminal = {};
  Clock now = std::chrono::steady_clock::now;
};

// Options that every command takes.
struct GlobalOptions {
  std::string address = posenc::ClientOptions().address;
  double timeout_seconds = 300;
  bool json = false;
};

// One run of one command. The environment and the options must outlive it. Not
// thread-safe.
class Session {
 public:
  Session(const GlobalOptions& options, const Environment& environment)
      : options_(options), environment_(environment) {}

  // Connects when first called, so that bad input is found without a server.
  absl::StatusOr<posenc::Client> Connect();

  // Watches the call that is made with its Call().
  Progress Watch() const;

  // Connects, and makes a call that is watched: Call(&Client::GetTable,
  // params).
  template <typename Result, typename Params>
  absl::StatusOr<Result> Call(
      absl::StatusOr<Result> (posenc::Client::*method)(const Params&),
      Params params) {
    absl::StatusOr<posenc::Client> client = Connect();
    if (!client.ok()) return client.status();
    Progress progress = Watch();
    params.call = progress.Call();
    return ((*client).*method)(params);
  }

  bool json() const { return options_.json; }
  const std::string& address() const { return options_.address; }
  const Terminal& terminal() const { return environment_.terminal; }
  std::ostream& out() const { return environment_.out; }
  std::ostream& err() const { return environment_.err; }

 private:
  const GlobalOptions& options_;
  const Environment& environment_;
  std::optional<posenc::Client> client_;
};

// What the chosen command does once the command line has been read.
using Action = std::function<absl::Status(Session&)>;

}  // namespace posenc::cli

#endif  // POSENC_CLI_SESSION_H_
