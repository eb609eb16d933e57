#ifndef POSENC_SERVER_TRANSPORT_STATUS_H_
#define POSENC_SERVER_TRANSPORT_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "posenc/v1/error.pb.h"

namespace posenc::server {

// The one place where an absl::Status becomes what callers see: the same code
// and message, and a google.rpc.ErrorInfo with the reason.
grpc::Status ToGrpc(const absl::Status& status);

// The same for an answer inside a stream.
v1::Status ToProto(const absl::Status& status);

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_STATUS_H_
