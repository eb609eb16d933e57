#include "client/src/encode_codec.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/slice.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "client/src/message_size.h"
#include "client/src/spec_codec.h"
#include "client/src/status.h"
#include "client/src/tensor_codec.h"
#include "posenc/v1/positional_encoding.pb.h"

namespace posenc {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

absl::StatusOr<v1::Positions> ToProto(const Positions& positions) {
  if (positions.values.has_value() + positions.padded_lengths.has_value() +
          positions.packed_lengths.has_value() >
      1) {
    return absl::InvalidArgumentError(
        "at most one of Positions::values, padded_lengths and packed_lengths "
        "may be set");
  }
  v1::Positions proto;
  if (positions.offset) proto.set_offset(*positions.offset);
  if (positions.values) *proto.mutable_values() = ToProto(*positions.values);
  if (positions.padded_lengths) {
    *proto.mutable_padded_lengths() = ToProto(*positions.padded_lengths);
  }
  if (positions.packed_lengths) {
    *proto.mutable_packed_lengths() = ToProto(*positions.packed_lengths);
  }
  return proto;
}

// The request without its input.
absl::StatusOr<v1::EncodeRequest> RequestWithoutInput(
    const EncodeOptions& options) {
  v1::EncodeRequest request;
  *request.mutable_encoding() = ToProto(options.encoding);
  request.set_batch_layout(static_cast<v1::BatchLayout>(options.batch_layout));
  if (options.output_dtype) {
    request.set_output_dtype(ToProto(*options.output_dtype));
  }
  absl::StatusOr<v1::Positions> positions = ToProto(options.positions);
  if (!positions.ok()) return positions.status();
  if (positions->ByteSizeLong() > 0) {
    *request.mutable_positions() = *std::move(positions);
  }
  request.set_embedding_table(options.embedding_table);
  return request;
}

std::uint32_t LengthDelimitedTag(int field) {
  return WireFormatLite::MakeTag(field,
                                 WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

// Bytes of a field's tag and length.
std::uint64_t LeadBytes(int field, std::uint64_t length) {
  return CodedOutputStream::VarintSize32(LengthDelimitedTag(field)) +
         CodedOutputStream::VarintSize64(length);
}

void WriteLead(int field, std::uint64_t length, CodedOutputStream& output) {
  output.WriteTag(LengthDelimitedTag(field));
  output.WriteVarint64(length);
}

// All of a request's input that comes before its payload's bytes.
class InputLead {
 public:
  explicit InputLead(const EncodeParams& params)
      : field_(params.input == EncodeParams::Input::kEmbeddings
                   ? v1::EncodeRequest::kEmbeddingsFieldNumber
                   : v1::EncodeRequest::kTokenIdsFieldNumber) {
    std::visit(
        [this](const auto& payload) {
          tensor_ = HeaderToProto(payload.dtype, payload.shape);
          data_bytes_ = payload.data.size();
        },
        params.payload);
    tensor_bytes_ = tensor_.ByteSizeLong() +
                    LeadBytes(v1::Tensor::kDataFieldNumber, data_bytes_) +
                    data_bytes_;
  }

  // Bytes of the whole input field, the payload's included.
  std::uint64_t input_bytes() const {
    return LeadBytes(field_, tensor_bytes_) + tensor_bytes_;
  }

  void Write(CodedOutputStream& output) const {
    WriteLead(field_, tensor_bytes_, output);
    tensor_.SerializeToCodedStream(&output);
    WriteLead(v1::Tensor::kDataFieldNumber, data_bytes_, output);
  }

 private:
  int field_;
  v1::Tensor tensor_;  // without data
  std::uint64_t data_bytes_ = 0;
  std::uint64_t tensor_bytes_ = 0;
};

grpc::Slice PayloadSlice(const TensorView& payload) {
  return grpc::Slice(payload.data.data(), payload.data.size());
}

grpc::Slice PayloadSlice(const SharedTensor& payload) {
  using Owner = std::shared_ptr<const void>;
  // gRPC has one type for slices, mutable or not; it only reads what it sends.
  void* data = const_cast<void*>(static_cast<const void*>(payload.data.data()));
  return grpc::Slice(
      data, payload.data.size(),
      [](void* owner) { delete static_cast<Owner*>(owner); },
      new Owner(payload.owner));
}

absl::Status CheckOwner(const Payload& payload) {
  const auto* shared = std::get_if<SharedTensor>(&payload);
  if (shared != nullptr && shared->owner == nullptr && !shared->data.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the SharedTensor has ", shared->data.size(), " bytes but no owner"));
  }
  return absl::OkStatus();
}

// Walks a message up to the input's limit. Calls `on_payload` with the length
// of each `payload_field`, whose bytes it must consume, and copies all other
// fields to `rest`. False if the message is malformed.
template <typename OnPayload>
bool WalkFields(CodedInputStream& input, int payload_field, std::string& rest,
                OnPayload on_payload) {
  StringOutputStream rest_stream(&rest);
  CodedOutputStream rest_output(&rest_stream);
  while (input.BytesUntilLimit() > 0) {
    const std::uint32_t tag = input.ReadTag();
    if (tag == 0) return false;
    if (tag != LengthDelimitedTag(payload_field)) {
      if (!WireFormatLite::SkipField(&input, tag, &rest_output)) return false;
      continue;
    }
    int length = 0;
    if (!input.ReadVarintSizeAsInt(&length) ||
        length > input.BytesUntilLimit()) {
      return false;
    }
    const CodedInputStream::Limit outer = input.PushLimit(length);
    if (!on_payload(length) || input.BytesUntilLimit() != 0) return false;
    input.PopLimit(outer);
  }
  return true;
}

// An EncodeResponse, taken apart.
struct ResponseParts {
  std::string response;  // without `output`
  std::string tensor;    // `output` without `data`
  int data_offset = 0;   // of `data`, from the start of the whole message
  int data_bytes = 0;
};

bool WalkResponse(CodedInputStream& input, ResponseParts& parts) {
  const auto on_data = [&](int length) {
    parts.data_offset = input.CurrentPosition();
    parts.data_bytes = length;
    return input.Skip(length);
  };
  const auto on_output = [&](int) {
    return WalkFields(input, v1::Tensor::kDataFieldNumber, parts.tensor,
                      on_data);
  };
  return WalkFields(input, v1::EncodeResponse::kOutputFieldNumber,
                    parts.response, on_output);
}

absl::Status MalformedError() {
  return absl::InternalError("the server's response is malformed");
}

void CopyOut(grpc::ByteBuffer& message, int offset,
             std::span<std::byte> target) {
  grpc::ProtoBufferReader reader(&message);
  CodedInputStream input(&reader);
  input.Skip(offset);
  input.ReadRaw(target.data(), static_cast<int>(target.size()));
}

absl::Status CheckPayloadBytes(const EncodeResult& result,
                               std::uint64_t bytes) {
  if (BytesOf(result.dtype, result.shape) == bytes) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the server's response says ",
                                          Describe(result.dtype, result.shape),
                                          " but holds ", bytes, " bytes"));
}

absl::StatusOr<EncodeResult> Assemble(
    const ResponseParts& parts, grpc::ByteBuffer& message,
    std::optional<std::span<std::byte>> output) {
  v1::EncodeResponse response;
  v1::Tensor tensor;
  if (!response.ParseFromString(parts.response) ||
      !tensor.ParseFromString(parts.tensor)) {
    return MalformedError();
  }
  EncodeResult result{
      .encoding = FromProto(response.encoding()),
      .embedding_scale = response.embedding_scale(),
      .embedding_table = response.embedding_table(),
      .embedding_table_version = response.embedding_table_version(),
      .dtype = FromProto(tensor.dtype()),
      .shape = ShapeFromProto(tensor),
      .output = {}};
  const auto bytes = static_cast<std::size_t>(parts.data_bytes);
  if (absl::Status status = CheckPayloadBytes(result, bytes); !status.ok()) {
    return status;
  }
  if (!output) {
    absl::StatusOr<Tensor> made = Allocate(result.dtype, result.shape, bytes);
    if (!made.ok()) return made.status();
    result.output = *std::move(made);
    output = result.output.mutable_bytes();
  } else if (output->size() != bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the caller's output has ", output->size(), " bytes but the result, ",
        Describe(result.dtype, result.shape), ", has ", bytes));
  }
  CopyOut(message, parts.data_offset, *output);
  return result;
}

// Calls `walk` with an input that is limited to the message.
template <typename Walk>
bool WalkMessage(grpc::ByteBuffer& message, Walk walk) {
  if (!message.Valid()) return false;
  grpc::ProtoBufferReader reader(&message);
  CodedInputStream input(&reader);
  input.PushLimit(static_cast<int>(message.Length()));
  return walk(input);
}

}  // namespace

absl::StatusOr<grpc::ByteBuffer> SerializeEncodeRequest(
    const EncodeParams& params, std::uint64_t max_message_bytes) {
  if (absl::Status status = CheckOwner(params.payload); !status.ok()) {
    return status;
  }
  absl::StatusOr<v1::EncodeRequest> request =
      RequestWithoutInput(params.options);
  if (!request.ok()) return request.status();
  const InputLead lead(params);
  if (absl::Status status = CheckRequestBytes(
          request->ByteSizeLong() + lead.input_bytes(), max_message_bytes);
      !status.ok()) {
    return status;
  }
  std::string front;
  {
    StringOutputStream stream(&front);
    CodedOutputStream output(&stream);
    request->SerializeToCodedStream(&output);
    lead.Write(output);
  }
  const grpc::Slice slices[] = {
      grpc::Slice(front),
      std::visit([](const auto& payload) { return PayloadSlice(payload); },
                 params.payload)};
  // gRPC would send a slice without bytes as a frame of its own.
  return grpc::ByteBuffer(slices, slices[1].size() == 0 ? 1 : 2);
}

absl::StatusOr<EncodeResult> ParseEncodeResponse(
    grpc::ByteBuffer& message, std::optional<std::span<std::byte>> output) {
  ResponseParts parts;
  if (!WalkMessage(message, [&](CodedInputStream& input) {
        return WalkResponse(input, parts);
      })) {
    return MalformedError();
  }
  return Assemble(parts, message, output);
}

absl::StatusOr<EncodeResult> ParseEncodeStreamResponse(
    grpc::ByteBuffer& message) {
  ResponseParts parts;
  bool has_response = false;
  std::string rest;
  if (!WalkMessage(message, [&](CodedInputStream& input) {
        const auto on_response = [&](int) {
          has_response = true;
          return WalkResponse(input, parts);
        };
        return WalkFields(input, v1::EncodeStreamResponse::kResponseFieldNumber,
                          rest, on_response);
      })) {
    return MalformedError();
  }
  v1::EncodeStreamResponse stream_response;
  if (!stream_response.ParseFromString(rest)) return MalformedError();
  if (stream_response.has_error()) return FromProto(stream_response.error());
  if (!has_response) return MalformedError();
  return Assemble(parts, message, std::nullopt);
}

}  // namespace posenc
