#include "server/base/error.h"

#include "absl/strings/cord.h"

namespace posenc::server {
namespace {

constexpr char kReasonUrl[] = "posenc/reason";

}  // namespace

absl::Status Error(absl::StatusCode code, absl::string_view reason,
                   absl::string_view message) {
  absl::Status status(code, message);
  status.SetPayload(kReasonUrl, absl::Cord(reason));
  return status;
}

absl::Status Invalid(absl::string_view reason, absl::string_view message) {
  return Error(absl::StatusCode::kInvalidArgument, reason, message);
}

std::string ReasonOf(const absl::Status& status) {
  const auto reason = status.GetPayload(kReasonUrl);
  if (reason) return std::string(*reason);
  return absl::StatusCodeToString(status.code());
}

}  // namespace posenc::server
