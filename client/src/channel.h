#ifndef POSENC_CLIENT_SRC_CHANNEL_H_
#define POSENC_CLIENT_SRC_CHANNEL_H_

#include <grpcpp/channel.h>

#include <memory>

#include "absl/status/statusor.h"
#include "posenc/client.h"

namespace posenc {

// A channel of its own to the server, which connects with its first call. The
// options must have passed ConnectChannel.
std::shared_ptr<grpc::Channel> MakeChannel(const ClientOptions& options);

// The same, connected. Errors as Client::Connect.
absl::StatusOr<std::shared_ptr<grpc::Channel>> ConnectChannel(
    const ClientOptions& options);

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_CHANNEL_H_
