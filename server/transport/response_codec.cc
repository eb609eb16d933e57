#include "server/transport/response_codec.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/slice.h>

#include <atomic>
#include <string>
#include <utility>

#include "posenc/v1/positional_encoding.pb.h"
#include "server/transport/spec_codec.h"
#include "server/transport/status.h"

namespace posenc::server {
namespace {

using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;
using WireFormat = google::protobuf::internal::WireFormatLite;

// Tag and length of a length-delimited field.
std::string FieldHead(int field, std::size_t bytes) {
  std::string head;
  StringOutputStream stream(&head);
  CodedOutputStream output(&stream);
  output.WriteTag(
      WireFormat::MakeTag(field, WireFormat::WIRETYPE_LENGTH_DELIMITED));
  output.WriteVarint64(bytes);
  output.Trim();
  return head;
}

// A buffer in gRPC's hands. gRPC orders what was done to it before with its
// release, on whatever thread, but in code that ThreadSanitizer does not know;
// hence the atomic.
class SentBuffer {
 public:
  static grpc::Slice ToSlice(ResponseBuffer buffer) {
    auto* sent = new SentBuffer(std::move(buffer));
    const auto bytes = sent->buffer_.bytes();
    sent->handed_over_.store(true, std::memory_order_release);
    return grpc::Slice(bytes.data(), bytes.size(), Release, sent);
  }

 private:
  explicit SentBuffer(ResponseBuffer buffer) : buffer_(std::move(buffer)) {}

  static void Release(void* self) {
    auto* sent = static_cast<SentBuffer*>(self);
    sent->handed_over_.load(std::memory_order_acquire);
    delete sent;
  }

  ResponseBuffer buffer_;
  std::atomic<bool> handed_over_ = false;
};

}  // namespace

grpc::Slice ResponseHead(const EncodePlan& plan) {
  v1::EncodeResponse proto;
  *proto.mutable_encoding() = ToProto(plan.encoding);
  proto.set_batch_layout(ToProto(plan.layout));
  proto.set_embedding_scale(plan.embedding_scale);
  if (plan.table != nullptr) {
    proto.set_embedding_table(plan.table->name);
    proto.set_embedding_table_version(plan.table->version);
  }
  v1::Tensor tensor;
  tensor.set_dtype(ToProto(plan.dtype));
  tensor.mutable_shape()->Add(plan.shape.begin(), plan.shape.end());
  const std::string tensor_head =
      tensor.SerializeAsString() +
      FieldHead(v1::Tensor::kDataFieldNumber, plan.output_bytes);
  return grpc::Slice(proto.SerializeAsString() +
                     FieldHead(v1::EncodeResponse::kOutputFieldNumber,
                               tensor_head.size() + plan.output_bytes) +
                     tensor_head);
}

grpc::Slice StreamResponseHead(std::size_t response_bytes) {
  return grpc::Slice(FieldHead(v1::EncodeStreamResponse::kResponseFieldNumber,
                               response_bytes));
}

grpc::Slice ToSlice(ResponseBuffer buffer) {
  return SentBuffer::ToSlice(std::move(buffer));
}

grpc::ByteBuffer StreamErrorToWire(const absl::Status& status) {
  v1::EncodeStreamResponse proto;
  *proto.mutable_error() = ToProto(status);
  const grpc::Slice slice(proto.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace posenc::server
