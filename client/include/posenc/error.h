#ifndef POSENC_ERROR_H_
#define POSENC_ERROR_H_

#include <string>

#include "absl/status/status.h"

namespace posenc {

// The machine-readable reason that the server gave with an error, a constant
// such as "D_MODEL_MISMATCH". Empty for an OK status and for errors that did
// not come from a posenc server (no server, deadline, the library's own
// checks). Such a status holds the whole google.rpc.ErrorInfo as a payload
// under "type.googleapis.com/google.rpc.ErrorInfo".
std::string ErrorReason(const absl::Status& status);

}  // namespace posenc

#endif  // POSENC_ERROR_H_
