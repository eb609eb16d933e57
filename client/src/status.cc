#include "client/src/status.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "posenc/error.h"

namespace posenc {
namespace {

constexpr char kErrorInfoUrl[] = "type.googleapis.com/google.rpc.ErrorInfo";

// The codes of gRPC and Abseil have the same numbers. What is none of them is
// UNKNOWN, as in gRPC.
absl::StatusCode ToCode(int code) {
  constexpr int kLast = static_cast<int>(absl::StatusCode::kUnauthenticated);
  return code < 0 || code > kLast ? absl::StatusCode::kUnknown
                                  : static_cast<absl::StatusCode>(code);
}

void AttachErrorInfo(const v1::Status& details, absl::Status& status) {
  for (const google::protobuf::Any& detail : details.details()) {
    if (detail.type_url() == kErrorInfoUrl) {
      status.SetPayload(kErrorInfoUrl, absl::Cord(detail.value()));
    }
  }
}

}  // namespace

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status result(ToCode(static_cast<int>(status.error_code())),
                      status.error_message());
  v1::Status details;
  if (details.ParseFromString(status.error_details())) {
    AttachErrorInfo(details, result);
  }
  return result;
}

absl::Status FromProto(const v1::Status& status) {
  if (status.code() == 0) {
    return absl::InternalError(
        "the server answered with an error whose code is OK");
  }
  absl::Status result(ToCode(status.code()), status.message());
  AttachErrorInfo(status, result);
  return result;
}

std::string ErrorReason(const absl::Status& status) {
  const auto payload = status.GetPayload(kErrorInfoUrl);
  v1::ErrorInfo info;
  if (!payload || !info.ParseFromString(std::string(*payload))) return "";
  return info.reason();
}

}  // namespace posenc
