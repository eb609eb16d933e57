#include "client/cli/session.h"

#include <algorithm>
#include <cstdint>

#include "client/cli/exit_code.h"

namespace posenc::cli {

absl::StatusOr<posenc::Client> Session::Connect() {
  if (client_) return *client_;
  posenc::ClientOptions options;
  options.address = options_.address;
  options.timeout = std::chrono::milliseconds(
      static_cast<std::int64_t>(options_.timeout_seconds * 1000));
  options.connect_timeout = std::min(options.connect_timeout, options.timeout);
  absl::StatusOr<posenc::Client> client = environment_.connect(options);
  if (absl::IsInvalidArgument(client.status())) {
    return LocalError(client.status().message());
  }
  if (client.ok()) client_ = *client;
  return client;
}

Progress Session::Watch() const {
  return Progress(environment_.err, environment_.terminal.err_is_terminal,
                  environment_.now, environment_.cancelled);
}

}  // namespace posenc::cli
