#include "client/src/encode_codec.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/slice.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

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

absl::StatusOr<v1::Positions> ToProto(const Positions& positions) {
  if (positions.values.has_value() + positions.padded_lengths.has_value() +
          positions.packed_lengths.has_value() +
          positions.attention_mask.has_value() +
          positions.padding_id.has_value() >
      1) {
    return absl::InvalidArgumentError(
        "at most one of Positions::values, padded_lengths, packed_lengths, "
        "attention_mask and padding_id may be set");
  }
  v1::Positions proto;
  if (positions.offset) proto.set_offset(*positions.offset);
  if (positions.stride) proto.set_stride(*positions.stride);
  if (positions.values) *proto.mutable_values() = ToProto(*positions.values);
  if (positions.padded_lengths) {
    *proto.mutable_padded_lengths() = ToProto(*positions.padded_lengths);
  }
  if (positions.packed_lengths) {
    *proto.mutable_packed_lengths() = ToProto(*positions.packed_lengths);
  }
  if (positions.attention_mask) {
    *proto.mutable_attention_mask() = ToProto(*positions.attention_mask);
  }
  if (positions.padding_id) proto.set_padding_id(*positions.padding_id);
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
  if (options.dropout) {
    v1::Dropout& dropout = *request.mutable_dropout();
    dropout.set_rate(options.dropout->rate);
    dropout.set_seed(options.dropout->seed);
    dropout.set_request_position(options.dropout->request_position);
  }
  return request;
}

std::uint32_t LengthDelimitedTag(int field) {
  return WireFormatLite::MakeTag(field,
                                 WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

// Bytes of a field's tag and length.
std::size_t LeadBytes(int field, std::uint64_t length) {
  return CodedOutputStream::VarintSize32(LengthDelimitedTag(field)) +
         CodedOutputStream::VarintSize64(length);
}

std::uint8_t* WriteLead(int field, std::uint64_t length, std::uint8_t* target) {
  target =
      CodedOutputStream::WriteTagToArray(LengthDelimitedTag(field), target);
  return CodedOutputStream::WriteVarint64ToArray(length, target);
}

std::size_t PayloadBytes(const Payload& payload) {
  return std::visit([](const auto& tensor) { return tensor.data.size(); },
                    payload);
}

// All of a request's input that comes before its payload's bytes.
class InputLead {
 public:
  explicit InputLead(const EncodeParams& params)
      : field_(params.input == EncodeParams::Input::kEmbeddings
                   ? v1::EncodeRequest::kEmbeddingsFieldNumber
                   : v1::EncodeRequest::kTokenIdsFieldNumber),
        data_bytes_(PayloadBytes(params.payload)) {
    std::visit(
        [this](const auto& payload) {
          tensor_ = HeaderToProto(payload.dtype, payload.shape);
        },
        params.payload);
    lead_bytes_ = tensor_.ByteSizeLong() +
                  LeadBytes(v1::Tensor::kDataFieldNumber, data_bytes_);
  }

  std::size_t bytes() const {
    return LeadBytes(field_, lead_bytes_ + data_bytes_) + lead_bytes_;
  }

  // Writes bytes() bytes.
  void Write(std::uint8_t* target) const {
    target = WriteLead(field_, lead_bytes_ + data_bytes_, target);
    target = tensor_.SerializeWithCachedSizesToArray(target);
    WriteLead(v1::Tensor::kDataFieldNumber, data_bytes_, target);
  }

 private:
  const int field_;
  const std::uint64_t data_bytes_;
  v1::Tensor tensor_;  // without data
  std::uint64_t lead_bytes_ =
      0;  // of tensor_, and of its data's tag and length
};

// The slice holds the owner until gRPC lets it go.
grpc::Slice SliceOf(std::span<const std::byte> data,
                    std::shared_ptr<const void> owner) {
  using Owner = std::shared_ptr<const void>;
  // gRPC has one type for slices, mutable or not; it only reads what it sends.
  return grpc::Slice(
      const_cast<std::byte*>(data.data()), data.size(),
      [](void* kept) { delete static_cast<Owner*>(kept); },
      new Owner(std::move(owner)));
}

absl::StatusOr<grpc::Slice> PayloadSlice(const SharedTensor& payload) {
  return SliceOf(payload.data, payload.owner);
}

// Copied to a Tensor, whose memory large payloads need (see posenc/tensor.h).
absl::StatusOr<grpc::Slice> PayloadSlice(const TensorView& payload) {
  absl::StatusOr<Tensor> made =
      Allocate(payload.dtype, {}, payload.data.size());
  if (!made.ok()) return made.status();
  const auto copy = std::make_shared<Tensor>(*std::move(made));
  std::ranges::copy(payload.data, copy->mutable_bytes().begin());
  return SliceOf(copy->bytes(), copy);
}

absl::Status CheckOwner(const Payload& payload) {
  const auto* shared = std::get_if<SharedTensor>(&payload);
  if (shared != nullptr && shared->owner == nullptr && !shared->data.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the SharedTensor has ", shared->data.size(), " bytes but no owner"));
  }
  return absl::OkStatus();
}

// Bytes of a message, by their offsets from its start.
struct Extent {
  int begin;
  int end;
};

// Where those bytes are. The slices must not move: gRPC keeps the bytes of the
// smallest ones in the object itself.
std::vector<std::span<const std::byte>> PiecesOf(
    const std::vector<grpc::Slice>& slices, const Extent& extent) {
  std::vector<std::span<const std::byte>> pieces;
  auto skip = static_cast<std::size_t>(extent.begin);
  auto left = static_cast<std::size_t>(extent.end) - skip;
  for (const grpc::Slice& slice : slices) {
    if (left == 0) break;
    if (skip < slice.size()) {
      const std::size_t size = std::min(left, slice.size() - skip);
      pieces.push_back(std::as_bytes(std::span(slice.begin(), slice.size()))
                           .subspan(skip, size));
      left -= size;
    }
    skip -= std::min(skip, slice.size());
  }
  return pieces;
}

// The bytes of one message's fields, wherever they stand in the whole.
class Extents {
 public:
  void Add(int begin, int end) {
    if (!extents_.empty() && extents_.back().end == begin) {
      extents_.back().end = end;
    } else {
      extents_.push_back({begin, end});
    }
  }

  // False if the message is malformed.
  bool Parse(const std::vector<grpc::Slice>& slices,
             google::protobuf::MessageLite& message) const {
    std::string bytes;
    for (const Extent& extent : extents_) {
      for (const auto piece : PiecesOf(slices, extent)) {
        bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
      }
    }
    return message.ParseFromString(bytes);
  }

 private:
  std::vector<Extent> extents_;
};

// Walks a message up to the input's limit. Calls `on_payload` with the length
// of each `payload_field`, whose bytes it must consume, and adds all other
// fields to `rest`. False if the message is malformed.
template <typename OnPayload>
bool WalkFields(CodedInputStream& input, int payload_field, Extents& rest,
                OnPayload on_payload) {
  while (input.BytesUntilLimit() > 0) {
    const int begin = input.CurrentPosition();
    const std::uint32_t tag = input.ReadTag();
    if (tag == 0) return false;
    if (tag != LengthDelimitedTag(payload_field)) {
      if (!WireFormatLite::SkipField(&input, tag)) return false;
      rest.Add(begin, input.CurrentPosition());
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
  Extents response;  // without `output`
  Extents tensor;    // `output` without `data`
  Extent data = {};  // the last `data`
};

bool WalkResponse(CodedInputStream& input, ResponseParts& parts) {
  const auto on_data = [&](int length) {
    const int begin = input.CurrentPosition();
    parts.data = {begin, begin + length};
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

absl::StatusOr<EncodeResult> Assemble(
    const ResponseParts& parts,
    std::shared_ptr<const std::vector<grpc::Slice>> slices) {
  v1::EncodeResponse response;
  v1::Tensor tensor;
  if (!parts.response.Parse(*slices, response) ||
      !parts.tensor.Parse(*slices, tensor)) {
    return MalformedError();
  }
  const DType dtype = FromProto(tensor.dtype());
  Shape shape = ShapeFromProto(tensor);
  const auto bytes = static_cast<std::uint64_t>(parts.data.end) -
                     static_cast<std::uint64_t>(parts.data.begin);
  if (BytesOf(dtype, shape) != bytes) {
    return absl::InternalError(absl::StrCat("the server's response says ",
                                            Describe(dtype, shape),
                                            " but holds ", bytes, " bytes"));
  }
  auto segments = PiecesOf(*slices, parts.data);
  return EncodeResult{
      .encoding = FromProto(response.encoding()),
      .embedding_scale = response.embedding_scale(),
      .embedding_table = response.embedding_table(),
      .embedding_table_version = response.embedding_table_version(),
      .dtype = dtype,
      .shape = shape,
      .output = {},
      .segments = SegmentedTensor(dtype, std::move(shape), std::move(segments),
                                  std::move(slices))};
}

// Calls `walk` with an input that is limited to the message, and gives the
// message's slices; none if it is malformed.
template <typename Walk>
std::shared_ptr<const std::vector<grpc::Slice>> WalkMessage(
    grpc::ByteBuffer& message, Walk walk) {
  if (!message.Valid()) return nullptr;
  grpc::ProtoBufferReader reader(&message);
  CodedInputStream input(&reader);
  input.PushLimit(static_cast<int>(message.Length()));
  if (!walk(input)) return nullptr;
  auto slices = std::make_shared<std::vector<grpc::Slice>>();
  return message.Dump(slices.get()).ok() ? slices : nullptr;
}

}  // namespace

EncodeRequest::EncodeRequest(std::string front, const Payload& payload)
    : front_(std::move(front)), payload_(payload) {}

absl::StatusOr<EncodeRequest> EncodeRequest::Create(
    const EncodeParams& params, std::uint64_t max_message_bytes) {
  if (absl::Status status = CheckOwner(params.payload); !status.ok()) {
    return status;
  }
  const auto request = RequestWithoutInput(params.options);
  if (!request.ok()) return request.status();
  const InputLead lead(params);
  std::string front = request->SerializeAsString();
  const std::size_t header_bytes = front.size();
  front.resize(header_bytes + lead.bytes());
  lead.Write(reinterpret_cast<std::uint8_t*>(front.data()) + header_bytes);
  EncodeRequest made(std::move(front), params.payload);
  if (absl::Status status = CheckRequestBytes(made.bytes(), max_message_bytes);
      !status.ok()) {
    return status;
  }
  return made;
}

std::uint64_t EncodeRequest::bytes() const {
  return front_.size() + PayloadBytes(payload_);
}

absl::StatusOr<grpc::ByteBuffer> EncodeRequest::ToMessage() const {
  grpc::Slice slices[] = {grpc::Slice(front_), grpc::Slice()};
  // gRPC would send a slice without bytes as a frame of its own.
  if (PayloadBytes(payload_) == 0) return grpc::ByteBuffer(slices, 1);
  auto payload = std::visit(
      [](const auto& tensor) { return PayloadSlice(tensor); }, payload_);
  if (!payload.ok()) return payload.status();
  slices[1] = *std::move(payload);
  return grpc::ByteBuffer(slices, 2);
}

absl::StatusOr<EncodeResult> ParseEncodeResponse(grpc::ByteBuffer& message) {
  ResponseParts parts;
  auto slices = WalkMessage(message, [&](CodedInputStream& input) {
    return WalkResponse(input, parts);
  });
  if (slices == nullptr) return MalformedError();
  return Assemble(parts, std::move(slices));
}

absl::StatusOr<EncodeResult> ParseEncodeStreamResponse(
    grpc::ByteBuffer& message) {
  ResponseParts parts;
  bool has_response = false;
  Extents rest;
  auto slices = WalkMessage(message, [&](CodedInputStream& input) {
    const auto on_response = [&](int) {
      has_response = true;
      return WalkResponse(input, parts);
    };
    return WalkFields(input, v1::EncodeStreamResponse::kResponseFieldNumber,
                      rest, on_response);
  });
  v1::EncodeStreamResponse stream_response;
  if (slices == nullptr || !rest.Parse(*slices, stream_response)) {
    return MalformedError();
  }
  if (stream_response.has_error()) return FromProto(stream_response.error());
  if (!has_response) return MalformedError();
  return Assemble(parts, std::move(slices));
}

absl::StatusOr<EncodeResult> Delivered(
    EncodeResult result, std::optional<std::span<std::byte>> output) {
  const SegmentedTensor segments = std::exchange(result.segments, {});
  if (!output) {
    absl::StatusOr<Tensor> made =
        Allocate(result.dtype, result.shape, segments.size_bytes());
    if (!made.ok()) return made.status();
    result.output = *std::move(made);
    output = result.output.mutable_bytes();
  }
  if (absl::Status status = segments.CopyTo(*output); !status.ok()) {
    return status;
  }
  return result;
}

}  // namespace posenc
