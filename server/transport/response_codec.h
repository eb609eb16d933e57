#ifndef POSENC_SERVER_TRANSPORT_RESPONSE_CODEC_H_
#define POSENC_SERVER_TRANSPORT_RESPONSE_CODEC_H_

#include <grpcpp/support/byte_buffer.h>

#include "absl/status/status.h"
#include "server/service/engine.h"

namespace posenc::server {

// An EncodeResponse on the wire. The output's slice is the response's buffer
// itself, which goes back to its pool when gRPC has sent it.
grpc::ByteBuffer EncodeToWire(EncodeResponse response);

// The same, or an error, as an EncodeStreamResponse.
grpc::ByteBuffer StreamAnswerToWire(EncodeResponse response);
grpc::ByteBuffer StreamErrorToWire(const absl::Status& status);

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_RESPONSE_CODEC_H_
