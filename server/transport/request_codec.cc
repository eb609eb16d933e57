#include "server/transport/request_codec.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "posenc/v1/positional_encoding.pb.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/transport/spec_codec.h"

namespace posenc::server {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;
using WireFormat = google::protobuf::internal::WireFormatLite;

absl::Status Malformed(absl::string_view what) {
  return Error(absl::StatusCode::kInvalidArgument, "MALFORMED_MESSAGE",
               absl::StrCat("the message is no EncodeRequest: ", what));
}

// A payload's place in the message. Of the tensors of a oneof the last one that
// was seen counts, as it does for protobuf.
struct Place {
  int field = 0;
  std::size_t begin = 0;
  std::size_t size = 0;
};

// Splits a message into its payloads' places and a header: the same message
// with the payloads left out, small enough to parse the ordinary way.
class Splitter {
 public:
  explicit Splitter(grpc::ByteBuffer& message)
      : reader_(&message), input_(&reader_) {}

  absl::Status Split(std::string& header) {
    while (const std::uint32_t tag = input_.ReadTag()) {
      const absl::Status status = SplitField(tag, header);
      if (!status.ok()) return status;
    }
    if (!input_.ConsumedEntireMessage() || !reader_.status().ok()) {
      return Malformed("a field has no valid tag");
    }
    return absl::OkStatus();
  }

  const Place& input() const { return input_place_; }
  const Place& positions() const { return positions_place_; }

 private:
  static constexpr std::uint32_t kDataTag = WireFormat::MakeTag(
      v1::Tensor::kDataFieldNumber, WireFormat::WIRETYPE_LENGTH_DELIMITED);

  absl::Status SplitField(std::uint32_t tag, std::string& header) {
    const int field = WireFormat::GetTagFieldNumber(tag);
    const bool nested = WireFormat::GetTagWireType(tag) ==
                        WireFormat::WIRETYPE_LENGTH_DELIMITED;
    switch (field) {
      case v1::EncodeRequest::kEmbeddingsFieldNumber:
      case v1::EncodeRequest::kTokenIdsFieldNumber:
        if (!nested) break;
        return SplitNested(tag, header, [&](std::string& inner) {
          return SplitTensor(field, input_place_, inner);
        });
      case v1::EncodeRequest::kPositionsFieldNumber:
        if (!nested) break;
        return SplitNested(tag, header, [&](std::string& inner) {
          return SplitPositions(inner);
        });
      case v1::EncodeRequest::kEncodingFieldNumber:
      case v1::EncodeRequest::kBatchLayoutFieldNumber:
      case v1::EncodeRequest::kOutputDtypeFieldNumber:
      case v1::EncodeRequest::kEmbeddingTableFieldNumber:
      case v1::EncodeRequest::kDropoutFieldNumber:
        return Copy(tag, header);
      default:
        break;
    }
    if (!WireFormat::SkipField(&input_, tag)) {
      return Malformed(absl::StrCat("field ", field, " is cut short"));
    }
    return absl::OkStatus();
  }

  absl::Status SplitPositions(std::string& header) {
    while (const std::uint32_t tag = input_.ReadTag()) {
      const int field = WireFormat::GetTagFieldNumber(tag);
      const bool tensor = field >= v1::Positions::kValuesFieldNumber &&
                          field <= v1::Positions::kAttentionMaskFieldNumber;
      absl::Status status;
      if (tensor && WireFormat::GetTagWireType(tag) ==
                        WireFormat::WIRETYPE_LENGTH_DELIMITED) {
        status = SplitNested(tag, header, [&](std::string& inner) {
          return SplitTensor(field, positions_place_, inner);
        });
      } else {
        status = Copy(tag, header);
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status SplitTensor(int field, Place& place, std::string& header) {
    if (place.field != field) place = {.field = field};
    while (const std::uint32_t tag = input_.ReadTag()) {
      if (tag != kDataTag) {
        const absl::Status status = Copy(tag, header);
        if (!status.ok()) return status;
        continue;
      }
      std::uint32_t size = 0;
      if (!input_.ReadVarint32(&size) || size > kLargestMaxMessageBytes) {
        return Malformed("a payload has no valid length");
      }
      place.begin = static_cast<std::size_t>(input_.CurrentPosition());
      place.size = size;
      if (!input_.Skip(static_cast<int>(size))) {
        return Malformed(
            absl::StrCat("a payload of ", size, " bytes is cut short"));
      }
    }
    return absl::OkStatus();
  }

  // Reads a nested message through `split`, which makes its header, and appends
  // that under the same tag.
  template <typename Split>
  absl::Status SplitNested(std::uint32_t tag, std::string& header,
                           Split split) {
    std::uint32_t size = 0;
    if (!input_.ReadVarint32(&size) || size > kLargestMaxMessageBytes) {
      return Malformed("a nested message has no valid length");
    }
    const int left = input_.BytesUntilLimit();  // -1: no limit
    if (left >= 0 && size > static_cast<std::uint32_t>(left)) {
      return Malformed("a nested message is longer than what holds it");
    }
    const auto limit = input_.PushLimit(static_cast<int>(size));
    std::string inner;
    const absl::Status status = split(inner);
    if (!status.ok()) return status;
    if (!input_.ConsumedEntireMessage() || input_.BytesUntilLimit() != 0) {
      return Malformed(absl::StrCat(
          "field ", WireFormat::GetTagFieldNumber(tag), " is cut short"));
    }
    input_.PopLimit(limit);
    {
      StringOutputStream stream(&header);
      CodedOutputStream output(&stream);
      output.WriteTag(tag);
      output.WriteVarint32(static_cast<std::uint32_t>(inner.size()));
      output.WriteString(inner);
    }
    return CheckHeader(header);
  }

  absl::Status Copy(std::uint32_t tag, std::string& header) {
    // A field that claims to be long must not be copied before it is refused.
    if (WireFormat::GetTagWireType(tag) ==
        WireFormat::WIRETYPE_LENGTH_DELIMITED) {
      return CopyBytes(tag, header);
    }
    {
      StringOutputStream stream(&header);
      CodedOutputStream output(&stream);
      if (!WireFormat::SkipField(&input_, tag, &output)) {
        return Malformed(absl::StrCat(
            "field ", WireFormat::GetTagFieldNumber(tag), " is cut short"));
      }
    }
    return CheckHeader(header);
  }

  absl::Status CopyBytes(std::uint32_t tag, std::string& header) {
    std::uint32_t size = 0;
    if (!input_.ReadVarint32(&size)) return Malformed("a field has no length");
    if (size > kMaxHeaderBytes) return TooLong(size);
    std::string bytes;
    if (!input_.ReadString(&bytes, static_cast<int>(size))) {
      return Malformed(absl::StrCat(
          "field ", WireFormat::GetTagFieldNumber(tag), " is cut short"));
    }
    {
      StringOutputStream stream(&header);
      CodedOutputStream output(&stream);
      output.WriteTag(tag);
      output.WriteVarint32(size);
      output.WriteString(bytes);
    }
    return CheckHeader(header);
  }

  static absl::Status CheckHeader(const std::string& header) {
    return header.size() > kMaxHeaderBytes ? TooLong(header.size())
                                           : absl::OkStatus();
  }

  static absl::Status TooLong(std::size_t bytes) {
    return Error(
        absl::StatusCode::kInvalidArgument, "HEADER_TOO_LONG",
        absl::StrCat("the fields of the message, payloads apart, "
                     "take ",
                     bytes, " bytes or more, but at most ", kMaxHeaderBytes));
  }

  grpc::ProtoBufferReader reader_;
  CodedInputStream input_;
  Place input_place_;
  Place positions_place_;
};

// The message as views.
std::vector<Segment> SegmentsOf(const std::vector<grpc::Slice>& slices) {
  std::vector<Segment> segments;
  segments.reserve(slices.size());
  for (const grpc::Slice& slice : slices) {
    segments.emplace_back(reinterpret_cast<const std::byte*>(slice.begin()),
                          slice.size());
  }
  return segments;
}

absl::Status FillPositions(const v1::Positions& proto, PositionFields& fields) {
  using Scheme = PositionFields::Scheme;
  if (proto.has_offset()) fields.offset = proto.offset();
  if (proto.has_stride()) fields.stride = proto.stride();
  const auto take = [&](Scheme scheme, const v1::Tensor& tensor,
                        absl::string_view what) -> absl::Status {
    auto view = HeaderFromProto(tensor, what);
    if (!view.ok()) return view.status();
    fields.scheme = scheme;
    fields.tensor = *std::move(view);
    return absl::OkStatus();
  };
  switch (proto.scheme_case()) {
    case v1::Positions::kValues:
      return take(Scheme::kValues, proto.values(), "positions.values");
    case v1::Positions::kPaddedLengths:
      return take(Scheme::kPaddedLengths, proto.padded_lengths(),
                  "positions.padded_lengths");
    case v1::Positions::kPackedLengths:
      return take(Scheme::kPackedLengths, proto.packed_lengths(),
                  "positions.packed_lengths");
    case v1::Positions::kAttentionMask:
      return take(Scheme::kAttentionMask, proto.attention_mask(),
                  "positions.attention_mask");
    case v1::Positions::kPaddingId:
      fields.scheme = Scheme::kPaddingId;
      fields.padding_id = proto.padding_id();
      return absl::OkStatus();
    case v1::Positions::SCHEME_NOT_SET:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status FillInput(const v1::EncodeRequest& proto, EncodeRequest& request) {
  const auto take = [](const v1::Tensor& tensor, absl::string_view what,
                       std::optional<TensorView>& to) -> absl::Status {
    auto view = HeaderFromProto(tensor, what);
    if (!view.ok()) return view.status();
    to = *std::move(view);
    return absl::OkStatus();
  };
  if (proto.has_embeddings()) {
    return take(proto.embeddings(), "embeddings", request.embeddings);
  }
  if (proto.has_token_ids()) {
    return take(proto.token_ids(), "token_ids", request.token_ids);
  }
  return absl::OkStatus();
}

absl::StatusOr<EncodeRequest> FromHeader(const v1::EncodeRequest& proto) {
  EncodeRequest request;
  auto spec = FromProto(proto.encoding());
  if (!spec.ok()) return spec.status();
  request.encoding = *std::move(spec);
  const auto layout = FromProto(proto.batch_layout());
  if (!layout.ok()) return layout.status();
  request.layout = *layout;
  if (proto.has_output_dtype()) {
    const auto dtype = FromProto(proto.output_dtype());
    if (!dtype.ok()) return dtype.status();
    request.output_dtype = *dtype;
  }
  request.embedding_table = proto.embedding_table();
  if (proto.has_dropout()) {
    request.dropout =
        Dropout{.rate = proto.dropout().rate(),
                .seed = proto.dropout().seed(),
                .request_position = proto.dropout().request_position()};
  }
  absl::Status status = FillPositions(proto.positions(), request.positions);
  if (status.ok()) status = FillInput(proto, request);
  if (!status.ok()) return status;
  return request;
}

}  // namespace

absl::StatusOr<ReceivedRequest> DecodeRequest(grpc::ByteBuffer& message) {
  std::string header;
  Splitter splitter(message);
  const absl::Status split = splitter.Split(header);
  if (!split.ok()) return split;
  v1::EncodeRequest proto;
  if (!proto.ParseFromString(header)) {
    return Malformed("its header does not parse");
  }
  auto request = FromHeader(proto);
  if (!request.ok()) return request.status();
  ReceivedRequest received{.request = *std::move(request)};
  if (!message.Dump(&received.slices).ok()) {
    return Malformed("its bytes are not there");
  }
  const std::vector<Segment> whole = SegmentsOf(received.slices);
  const auto view = [&](const Place& place) {
    return Slice(whole, place.begin, place.size);
  };
  EncodeRequest& filled = received.request;
  if (filled.embeddings) filled.embeddings->data = view(splitter.input());
  if (filled.token_ids) filled.token_ids->data = view(splitter.input());
  filled.positions.tensor.data = view(splitter.positions());
  received.input_begin = splitter.input().begin;
  received.input_bytes = splitter.input().size;
  return received;
}

}  // namespace posenc::server
