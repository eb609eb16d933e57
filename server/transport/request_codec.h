#ifndef POSENC_SERVER_TRANSPORT_REQUEST_CODEC_H_
#define POSENC_SERVER_TRANSPORT_REQUEST_CODEC_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "server/service/engine.h"

namespace posenc::server {

// An EncodeRequest as it arrived: its payloads are views into gRPC's own
// slices, which this keeps alive. No payload byte was copied.
struct ReceivedRequest {
  std::vector<grpc::Slice> slices;
  EncodeRequest request;
  // Where the input's payload lies, in bytes of the message.
  std::size_t input_begin = 0;
  std::size_t input_bytes = 0;
};

// Walks the wire format once. Fields may come in any order; unknown ones are
// passed over. INVALID_ARGUMENT for bytes that are no EncodeRequest, or whose
// header is over kMaxHeaderBytes.
absl::StatusOr<ReceivedRequest> DecodeRequest(grpc::ByteBuffer& message);

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_REQUEST_CODEC_H_
