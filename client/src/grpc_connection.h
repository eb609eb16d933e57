#ifndef POSENC_CLIENT_SRC_GRPC_CONNECTION_H_
#define POSENC_CLIENT_SRC_GRPC_CONNECTION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "posenc/client.h"
#include "posenc/connection.h"

namespace posenc {

// A Connection to a server over a channel of its own. Errors as
// Client::Connect.
absl::StatusOr<std::shared_ptr<Connection>> ConnectGrpc(
    const ClientOptions& options);

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_GRPC_CONNECTION_H_
