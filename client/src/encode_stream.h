#ifndef POSENC_CLIENT_SRC_ENCODE_STREAM_H_
#define POSENC_CLIENT_SRC_ENCODE_STREAM_H_

#include <grpc/support/time.h>
#include <grpcpp/channel.h>

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "posenc/connection.h"
#include "posenc/requests.h"

namespace posenc {

// Starts an EncodeStream over the channel.
absl::StatusOr<std::unique_ptr<EncodeStream>> StartEncodeStream(
    const std::shared_ptr<grpc::Channel>& channel, const CallOptions& options,
    gpr_timespec deadline, std::uint64_t max_message_bytes);

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_ENCODE_STREAM_H_
