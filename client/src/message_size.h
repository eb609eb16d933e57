#ifndef POSENC_CLIENT_SRC_MESSAGE_SIZE_H_
#define POSENC_CLIENT_SRC_MESSAGE_SIZE_H_

#include <cstdint>

#include "absl/status/status.h"

namespace posenc {

// RESOURCE_EXHAUSTED, with both numbers and the knobs, for a request over
// ClientOptions::max_message_bytes.
absl::Status CheckRequestBytes(std::uint64_t bytes,
                               std::uint64_t max_message_bytes);

// gRPC says of a message that is too large neither which one it was nor what
// to do. Rewrites that error so that it names the knob to turn, and leaves
// every other status as it is.
absl::Status NameSizeKnob(absl::Status status, std::uint64_t max_message_bytes);

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_MESSAGE_SIZE_H_
