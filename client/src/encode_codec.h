#ifndef POSENC_CLIENT_SRC_ENCODE_CODEC_H_
#define POSENC_CLIENT_SRC_ENCODE_CODEC_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "posenc/requests.h"

// The messages of the hot path, made and read by hand: protobuf would copy each
// payload once more on either side.
namespace posenc {

// A posenc.v1.EncodeRequest, the payload last. The params must live longer.
class EncodeRequest {
 public:
  // RESOURCE_EXHAUSTED if the message would be larger than max_message_bytes;
  // INVALID_ARGUMENT for what the message cannot say.
  static absl::StatusOr<EncodeRequest> Create(const EncodeParams& params,
                                              std::uint64_t max_message_bytes);

  // Of the whole message.
  std::uint64_t bytes() const;

  // A SharedTensor's bytes are its own slice, which holds the owner until gRPC
  // lets it go; a TensorView's are copied. RESOURCE_EXHAUSTED if there is no
  // memory for the copy.
  absl::StatusOr<grpc::ByteBuffer> ToMessage() const;

 private:
  EncodeRequest(std::string front, const Payload& payload);

  std::string front_;  // all but the payload's bytes
  const Payload& payload_;
};

// Reads a posenc.v1.EncodeResponse, whose fields may stand in any order among
// unknown ones. The result's segments are the message's own bytes, which they
// keep alive. INTERNAL for a malformed response, or one whose shape and dtype
// do not give its payload's size.
absl::StatusOr<EncodeResult> ParseEncodeResponse(grpc::ByteBuffer& message);

// Reads a posenc.v1.EncodeStreamResponse: its response, or its error as status.
absl::StatusOr<EncodeResult> ParseEncodeStreamResponse(
    grpc::ByteBuffer& message);

// Copies the segments once: to `output` if there is one (INVALID_ARGUMENT with
// both sizes if it does not fit exactly), otherwise into the result's tensor
// (RESOURCE_EXHAUSTED if there is no memory). After an error nothing has been
// written.
absl::StatusOr<EncodeResult> Delivered(
    EncodeResult result, std::optional<std::span<std::byte>> output);

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_ENCODE_CODEC_H_
