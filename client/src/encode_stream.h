#ifndef POSENC_CLIENT_SRC_ENCODE_STREAM_H_
#define POSENC_CLIENT_SRC_ENCODE_STREAM_H_

#include <grpc/support/time.h>

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "client/src/byte_budget.h"
#include "client/src/channel_pool.h"
#include "posenc/connection.h"
#include "posenc/requests.h"

namespace posenc {

// Starts an EncodeStream over the lease's channel, and keeps the lease. Each
// request takes its bytes from the budget while it is being sent.
absl::StatusOr<std::unique_ptr<EncodeStream>> StartEncodeStream(
    ChannelPool::Lease lease, std::shared_ptr<ByteBudget> budget,
    const CallOptions& options, gpr_timespec deadline,
    std::uint64_t max_message_bytes);

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_ENCODE_STREAM_H_
