#ifndef POSENC_SERVER_BASE_ERROR_H_
#define POSENC_SERVER_BASE_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posenc::server {

// An error with a reason for machines beside its message for people. The reason
// is a constant in capitals, such as D_MODEL_MISMATCH; callers of the service
// get it as the reason of a google.rpc.ErrorInfo.
absl::Status Error(absl::StatusCode code, absl::string_view reason,
                   absl::string_view message);

// The most common one: INVALID_ARGUMENT.
absl::Status Invalid(absl::string_view reason, absl::string_view message);

// The reason given to Error, or the code's name ("INVALID_ARGUMENT") for a
// status that was made without one.
std::string ReasonOf(const absl::Status& status);

}  // namespace posenc::server

#endif  // POSENC_SERVER_BASE_ERROR_H_
