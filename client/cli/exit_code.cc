#include "client/cli/exit_code.h"

#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/cord.h"
#include "posenc/error.h"

namespace posenc::cli {
namespace {

constexpr char kLocalUrl[] = "posenc.cli/local";

bool IsLocal(const absl::Status& status) {
  return status.GetPayload(kLocalUrl).has_value();
}

}  // namespace

absl::Status LocalError(absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kLocalUrl, absl::Cord());
  return status;
}

ExitCode ExitCodeFor(const absl::Status& status) {
  if (IsLocal(status)) return ExitCode::kUsage;
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kOk;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return ExitCode::kUnreachable;
    case absl::StatusCode::kCancelled:
      return ExitCode::kCancelled;
    default:
      return ExitCode::kRefused;
  }
}

void PrintError(const absl::Status& status, bool json, std::ostream& err) {
  const std::string code = absl::StatusCodeToString(status.code());
  const std::string message(status.message());
  const std::string reason =
      IsLocal(status) ? "USAGE" : posenc::ErrorReason(status);
  if (json) {
    const nlohmann::ordered_json error = {
        {"error", {{"code", code}, {"message", message}, {"reason", reason}}}};
    // Names from elsewhere may hold bytes that are not UTF-8.
    err << error.dump(-1, ' ', false,
                      nlohmann::ordered_json::error_handler_t::replace)
        << '\n';
    return;
  }
  err << "error: " << message;
  if (!IsLocal(status)) {
    err << " (" << code;
    if (!reason.empty()) err << ", " << reason;
    err << ')';
  }
  err << '\n';
}

}  // namespace posenc::cli
