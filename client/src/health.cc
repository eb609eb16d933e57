#include "client/src/health.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/slice.h>

#include <cstdint>

namespace posenc {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// HealthCheckResponse { enum ServingStatus { SERVING = 1; … } status = 1; }
constexpr std::uint32_t kStatusTag =
    WireFormatLite::MakeTag(1, WireFormatLite::WIRETYPE_VARINT);
constexpr std::uint64_t kServing = 1;

}  // namespace

grpc::ByteBuffer SerializeHealthCheckRequest() {
  const grpc::Slice nothing;
  return grpc::ByteBuffer(&nothing, 1);
}

absl::StatusOr<Health> ParseHealthCheckResponse(grpc::ByteBuffer& message) {
  const absl::Status malformed =
      absl::InternalError("the server's health response is malformed");
  if (!message.Valid()) return malformed;
  grpc::ProtoBufferReader reader(&message);
  CodedInputStream input(&reader);
  input.PushLimit(static_cast<int>(message.Length()));
  std::uint64_t status = 0;
  while (input.BytesUntilLimit() > 0) {
    const std::uint32_t tag = input.ReadTag();
    const bool read = tag == kStatusTag
                          ? input.ReadVarint64(&status)
                          : tag != 0 && WireFormatLite::SkipField(&input, tag);
    if (!read) return malformed;
  }
  return status == kServing ? Health::kServing : Health::kNotServing;
}

}  // namespace posenc
