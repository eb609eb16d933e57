#ifndef POSENC_CLIENT_SRC_STATUS_H_
#define POSENC_CLIENT_SRC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "posenc/v1/error.pb.h"

namespace posenc {

// The same canonical code and message, with the server's google.rpc.ErrorInfo
// (see posenc/error.h) where the status has one.
absl::Status FromGrpc(const grpc::Status& status);

// The same for an error that stands in a message. INTERNAL if its code is OK.
absl::Status FromProto(const v1::Status& status);

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_STATUS_H_
