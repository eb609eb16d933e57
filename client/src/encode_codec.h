#ifndef POSENC_CLIENT_SRC_ENCODE_CODEC_H_
#define POSENC_CLIENT_SRC_ENCODE_CODEC_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "posenc/requests.h"

// The messages of the hot path, made and read by hand: protobuf would copy each
// payload once more on either side.
namespace posenc {

// A posenc.v1.EncodeRequest, the payload last. A SharedTensor's bytes are its
// own slice, which holds the owner until gRPC lets it go; a TensorView's are
// copied. RESOURCE_EXHAUSTED, before the payload is copied, if the message
// would be larger than max_message_bytes; INVALID_ARGUMENT for what the message
// cannot say.
absl::StatusOr<grpc::ByteBuffer> SerializeEncodeRequest(
    const EncodeParams& params, std::uint64_t max_message_bytes);

// Reads a posenc.v1.EncodeResponse, whose fields may stand in any order among
// unknown ones, and copies the payload once: to `output` if there is one
// (INVALID_ARGUMENT with both sizes if it does not fit exactly), otherwise into
// the result's tensor. INTERNAL for a malformed response, or one whose shape
// and dtype do not give its payload's size; RESOURCE_EXHAUSTED if there is no
// memory. After an error nothing has been written.
absl::StatusOr<EncodeResult> ParseEncodeResponse(
    grpc::ByteBuffer& message, std::optional<std::span<std::byte>> output);

// Reads a posenc.v1.EncodeStreamResponse: its response, or its error as status.
absl::StatusOr<EncodeResult> ParseEncodeStreamResponse(
    grpc::ByteBuffer& message);

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_ENCODE_CODEC_H_
