#ifndef POSENC_SERVER_TRANSPORT_RESPONSE_CODEC_H_
#define POSENC_SERVER_TRANSPORT_RESPONSE_CODEC_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <cstddef>

#include "absl/status/status.h"
#include "server/service/engine.h"

namespace posenc::server {

// All of an EncodeResponse that comes before its output's bytes, which are the
// rest of the message.
grpc::Slice ResponseHead(const EncodePlan& plan);

// What turns an EncodeResponse of that size into an EncodeStreamResponse, put
// before it.
grpc::Slice StreamResponseHead(std::size_t response_bytes);

// The buffer itself, without a copy; it goes back to its pool when gRPC has
// sent it.
grpc::Slice ToSlice(ResponseBuffer buffer);

// An error as an EncodeStreamResponse.
grpc::ByteBuffer StreamErrorToWire(const absl::Status& status);

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_RESPONSE_CODEC_H_
