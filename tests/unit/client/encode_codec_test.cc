#include "client/src/encode_codec.h"

#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "posenc/error.h"
#include "posenc/v1/positional_encoding.pb.h"

namespace posenc {
namespace {

using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::uint64_t kNoLimit = 1 << 20;

std::vector<grpc::Slice> Slices(const grpc::ByteBuffer& message) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(message.Dump(&slices).ok());
  return slices;
}

std::string Bytes(const grpc::ByteBuffer& message) {
  std::string bytes;
  for (const grpc::Slice& slice : Slices(message)) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

grpc::ByteBuffer Message(const std::vector<std::string>& pieces) {
  std::vector<grpc::Slice> slices;
  for (const std::string& piece : pieces) slices.emplace_back(piece);
  return grpc::ByteBuffer(slices.data(), slices.size());
}

absl::StatusOr<grpc::ByteBuffer> SerializeEncodeRequest(
    const EncodeParams& params, std::uint64_t max_message_bytes) {
  const auto request = EncodeRequest::Create(params, max_message_bytes);
  if (!request.ok()) return request.status();
  absl::StatusOr<grpc::ByteBuffer> message = request->ToMessage();
  EXPECT_EQ(message->Length(), request->bytes());
  return message;
}

// Parses a response and delivers its output.
absl::StatusOr<EncodeResult> Parse(
    grpc::ByteBuffer message,
    std::optional<std::span<std::byte>> output = std::nullopt) {
  absl::StatusOr<EncodeResult> result = ParseEncodeResponse(message);
  if (!result.ok()) return result;
  return Delivered(*std::move(result), output);
}

std::string AsString(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

v1::EncodeRequest Serialized(const EncodeParams& params) {
  const auto message = SerializeEncodeRequest(params, kNoLimit);
  EXPECT_TRUE(message.ok()) << message.status();
  v1::EncodeRequest request;
  EXPECT_TRUE(request.ParseFromString(Bytes(*message)));
  return request;
}

EncodeParams ParamsOf(Payload payload) {
  EncodeParams params;
  params.payload = std::move(payload);
  return params;
}

v1::EncodeResponse SmallResponse() {
  v1::EncodeResponse response;
  response.mutable_encoding()->set_profile("fairseq");
  response.mutable_encoding()->set_d_model(3);
  response.set_embedding_scale(1.5);
  response.set_embedding_table("words");
  response.set_embedding_table_version("v7");
  v1::Tensor& output = *response.mutable_output();
  output.set_dtype(v1::FLOAT16);
  for (const std::uint64_t extent : {1, 2, 3}) output.add_shape(extent);
  output.set_data("abcdefghijkl");
  return response;
}

void ExpectSmallResponse(const absl::StatusOr<EncodeResult>& result) {
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->encoding.profile, "fairseq");
  EXPECT_EQ(result->encoding.d_model, 3u);
  EXPECT_EQ(result->embedding_scale, 1.5);
  EXPECT_EQ(result->embedding_table, "words");
  EXPECT_EQ(result->embedding_table_version, "v7");
  EXPECT_EQ(result->dtype, DType::kFloat16);
  EXPECT_THAT(result->shape, ElementsAre(1, 2, 3));
  EXPECT_EQ(result->output.dtype(), DType::kFloat16);
  EXPECT_THAT(result->output.shape(), ElementsAre(1, 2, 3));
  EXPECT_EQ(AsString(result->output.bytes()), "abcdefghijkl");
}

absl::StatusOr<EncodeResult> Parse(const std::string& bytes) {
  return Parse(Message({bytes}));
}

void ExpectInternal(const absl::StatusOr<EncodeResult>& result,
                    const std::string& text) {
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr(text));
}

TEST(SerializeEncodeRequest, EmbeddingsParseBack) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  EncodeParams params = ParamsOf(TensorView(std::span(values), Shape{1, 2, 3}));
  params.options.encoding.profile = "marian";
  params.options.encoding.base = 500;
  params.options.batch_layout = BatchLayout::kSequenceFirst;
  params.options.output_dtype = DType::kBFloat16;
  params.options.positions.offset = -4;
  const v1::EncodeRequest request = Serialized(params);
  EXPECT_EQ(request.encoding().profile(), "marian");
  EXPECT_EQ(request.encoding().base(), 500);
  EXPECT_EQ(request.batch_layout(), v1::SEQUENCE_FIRST);
  EXPECT_EQ(request.output_dtype(), v1::BFLOAT16);
  EXPECT_EQ(request.positions().offset(), -4);
  EXPECT_EQ(request.positions().scheme_case(), v1::Positions::SCHEME_NOT_SET);
  EXPECT_EQ(request.embeddings().dtype(), v1::FLOAT32);
  EXPECT_THAT(request.embeddings().shape(), ElementsAre(1, 2, 3));
  EXPECT_EQ(request.embeddings().data(),
            AsString(std::as_bytes(std::span(values))));
}

TEST(SerializeEncodeRequest, TokenIdsParseBack) {
  const std::vector<std::int64_t> ids = {7, 8};
  EncodeParams params = ParamsOf(TensorView(std::span(ids), Shape{1, 2}));
  params.input = EncodeParams::Input::kTokenIds;
  params.options.embedding_table = "words";
  const v1::EncodeRequest request = Serialized(params);
  EXPECT_EQ(request.embedding_table(), "words");
  EXPECT_FALSE(request.has_output_dtype());
  EXPECT_FALSE(request.has_positions());
  EXPECT_EQ(request.input_case(), v1::EncodeRequest::kTokenIds);
  EXPECT_EQ(request.token_ids().dtype(), v1::INT64);
  EXPECT_EQ(request.token_ids().data(),
            AsString(std::as_bytes(std::span(ids))));
}

TEST(SerializeEncodeRequest, EachPositionSchemeParsesBack) {
  const std::vector<std::int32_t> numbers = {3, 1};
  const TensorView view{std::span(numbers), Shape{2}};
  using Member = std::optional<TensorView> Positions::*;
  const std::pair<Member, const v1::Tensor& (v1::Positions::*)() const>
      schemes[] = {
          {&Positions::values, &v1::Positions::values},
          {&Positions::padded_lengths, &v1::Positions::padded_lengths},
          {&Positions::packed_lengths, &v1::Positions::packed_lengths}};
  for (const auto& [member, field] : schemes) {
    EncodeParams params = ParamsOf(TensorView());
    params.options.positions.*member = view;
    const v1::EncodeRequest request = Serialized(params);
    const v1::Tensor& tensor = (request.positions().*field)();
    EXPECT_EQ(tensor.dtype(), v1::INT32);
    EXPECT_THAT(tensor.shape(), ElementsAre(2));
    EXPECT_EQ(tensor.data(), AsString(view.data));
  }
}

TEST(SerializeEncodeRequest, TwoPositionSchemesAreRefused) {
  const std::vector<std::int32_t> numbers = {3};
  EncodeParams params = ParamsOf(TensorView());
  params.options.positions.values = TensorView(std::span(numbers), Shape{1});
  params.options.positions.packed_lengths = params.options.positions.values;
  const auto message = SerializeEncodeRequest(params, kNoLimit);
  EXPECT_EQ(message.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(message.status().message()),
              HasSubstr("at most one of Positions::values"));
}

TEST(SerializeEncodeRequest, SharedPayloadIsTheLastSliceAndIsNotCopied) {
  SharedTensor tensor = SharedTensor::FromVector<float>({1, 2, 3}, {1, 1, 3});
  const std::weak_ptr<const void> owner = tensor.owner;
  const std::span<const std::byte> data = tensor.data;
  auto message = SerializeEncodeRequest(ParamsOf(std::move(tensor)), kNoLimit);
  ASSERT_TRUE(message.ok()) << message.status();
  {
    const std::vector<grpc::Slice> slices = Slices(*message);
    ASSERT_EQ(slices.size(), 2u);
    EXPECT_EQ(static_cast<const void*>(slices[1].begin()), data.data());
    EXPECT_EQ(slices[1].size(), data.size());
  }
  EXPECT_FALSE(owner.expired());
  message->Clear();
  EXPECT_TRUE(owner.expired());
}

TEST(SerializeEncodeRequest, ViewIsCopied) {
  std::vector<float> values = {1, 2};
  const auto message = SerializeEncodeRequest(
      ParamsOf(TensorView(std::span<const float>(values), Shape{1, 1, 2})),
      kNoLimit);
  ASSERT_TRUE(message.ok()) << message.status();
  const std::string before = Bytes(*message);
  values.assign({-1, -2});
  EXPECT_EQ(Bytes(*message), before);
}

TEST(SerializeEncodeRequest, SharedDataWithoutOwnerIsRefused) {
  SharedTensor tensor = SharedTensor::FromVector<float>({1, 2, 3}, {3});
  const auto keep = std::exchange(tensor.owner, nullptr);
  const auto message =
      SerializeEncodeRequest(ParamsOf(std::move(tensor)), kNoLimit);
  EXPECT_EQ(message.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(message.status().message(),
            "the SharedTensor has 12 bytes but no owner");
}

TEST(SerializeEncodeRequest, EmptyPayloadStillChoosesTheInput) {
  const v1::EncodeRequest request = Serialized(ParamsOf(TensorView()));
  EXPECT_TRUE(request.has_embeddings());
  EXPECT_TRUE(request.embeddings().data().empty());
}

TEST(SerializeEncodeRequest, LimitHoldsToTheByte) {
  const std::vector<float> values(100);
  const EncodeParams params =
      ParamsOf(TensorView(std::span(values), Shape{1, 1, 100}));
  const std::uint64_t bytes =
      SerializeEncodeRequest(params, kNoLimit)->Length();
  EXPECT_TRUE(SerializeEncodeRequest(params, bytes).ok());
  const auto refused = SerializeEncodeRequest(params, bytes - 1);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status().message()),
              AllOf(HasSubstr("has " + std::to_string(bytes) + " bytes"),
                    HasSubstr("may have " + std::to_string(bytes - 1)),
                    HasSubstr("ClientOptions::max_message_bytes"),
                    HasSubstr("--max-message-bytes")));
}

TEST(ParseEncodeResponse, SplitAtEveryByte) {
  const std::string bytes = SmallResponse().SerializeAsString();
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    SCOPED_TRACE(split);
    grpc::ByteBuffer message =
        Message({bytes.substr(0, split), bytes.substr(split)});
    ExpectSmallResponse(Parse(message));
  }
}

TEST(ParseEncodeResponse, EveryByteItsOwnSlice) {
  std::vector<std::string> pieces;
  for (const char byte : SmallResponse().SerializeAsString()) {
    pieces.emplace_back(1, byte);
  }
  grpc::ByteBuffer message = Message(pieces);
  ExpectSmallResponse(Parse(message));
}

// Serialized messages set end to end are one message with the fields of all.
TEST(ParseEncodeResponse, FieldsInAnyOrder) {
  const v1::EncodeResponse whole = SmallResponse();
  v1::EncodeResponse header = whole;
  header.clear_output();
  v1::EncodeResponse data;
  data.mutable_output()->set_data(whole.output().data());
  v1::EncodeResponse shape;
  *shape.mutable_output()->mutable_shape() = whole.output().shape();
  v1::EncodeResponse dtype;
  dtype.mutable_output()->set_dtype(whole.output().dtype());
  ExpectSmallResponse(
      Parse(data.SerializeAsString() + shape.SerializeAsString() +
            dtype.SerializeAsString() + header.SerializeAsString()));
}

TEST(ParseEncodeResponse, LastOfRepeatedDataCounts) {
  v1::EncodeResponse early;
  early.mutable_output()->set_data("not these");
  ExpectSmallResponse(
      Parse(early.SerializeAsString() + SmallResponse().SerializeAsString()));
}

TEST(ParseEncodeResponse, UnknownFieldsAreSkipped) {
  v1::EncodeResponse response = SmallResponse();
  for (google::protobuf::UnknownFieldSet* fields :
       {response.GetReflection()->MutableUnknownFields(&response),
        response.output().GetReflection()->MutableUnknownFields(
            response.mutable_output())}) {
    fields->AddVarint(100, 5);
    fields->AddFixed32(101, 5);
    fields->AddFixed64(102, 5);
    fields->AddLengthDelimited(103, "from the future");
    fields->AddGroup(104)->AddVarint(1, 1);
  }
  ExpectSmallResponse(Parse(response.SerializeAsString()));
}

TEST(ParseEncodeResponse, TruncatedAnywhereIsInternal) {
  const std::string bytes = SmallResponse().SerializeAsString();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    SCOPED_TRACE(length);
    ExpectInternal(Parse(bytes.substr(0, length)), "the server's response");
  }
}

TEST(ParseEncodeResponse, LengthBeyondItsMessageIsInternal) {
  v1::EncodeResponse response;
  response.mutable_output()->set_data("1234");
  std::string bytes = response.SerializeAsString();
  ASSERT_EQ(bytes, std::string("\x7a\x06\x7a\x04"
                               "1234"));
  bytes[3] = 5;
  ExpectInternal(Parse(bytes + "more"), "malformed");
}

TEST(ParseEncodeResponse, GarbageIsInternal) {
  ExpectInternal(Parse("\x07\xff\xff\xff\xff\xff"), "malformed");
  grpc::ByteBuffer invalid;
  ExpectInternal(ParseEncodeResponse(invalid), "malformed");
}

TEST(ParseEncodeResponse, LyingShapeIsInternal) {
  v1::EncodeResponse response = SmallResponse();
  response.mutable_output()->set_shape(2, 4);
  ExpectInternal(Parse(response.SerializeAsString()),
                 "says FLOAT16 [1,2,4] but holds 12 bytes");
}

TEST(ParseEncodeResponse, OverflowingShapeIsInternal) {
  v1::EncodeResponse response = SmallResponse();
  v1::Tensor& output = *response.mutable_output();
  // 2^62 · 4 elements of 2 bytes: 0 modulo 2^64, as many bytes as none.
  output.set_shape(0, std::uint64_t{1} << 62);
  output.set_shape(1, 4);
  output.set_shape(2, 1);
  output.clear_data();
  ExpectInternal(Parse(response.SerializeAsString()),
                 "says FLOAT16 [4611686018427387904,4,1] but holds 0 bytes");
}

TEST(ParseEncodeResponse, UnknownDtypeIsInternal) {
  v1::EncodeResponse response = SmallResponse();
  response.mutable_output()->set_dtype(static_cast<v1::DType>(99));
  ExpectInternal(Parse(response.SerializeAsString()),
                 "says DTYPE_99 [1,2,3] but holds 12 bytes");
}

TEST(ParseEncodeResponse, FillsTheCallersMemory) {
  std::string target(12, '.');
  grpc::ByteBuffer message = Message({SmallResponse().SerializeAsString()});
  const auto result = Parse(message, std::as_writable_bytes(std::span(target)));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(target, "abcdefghijkl");
  EXPECT_TRUE(result->output.bytes().empty());
  EXPECT_THAT(result->shape, ElementsAre(1, 2, 3));
}

TEST(ParseEncodeResponse, CallersMemoryOfAnotherSizeIsRefused) {
  for (const std::size_t size : {0, 11, 13}) {
    std::string target(size, '.');
    grpc::ByteBuffer message = Message({SmallResponse().SerializeAsString()});
    const auto result =
        Parse(message, std::as_writable_bytes(std::span(target)));
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(result.status().message(),
              "the caller's output has " + std::to_string(size) +
                  " bytes but the result, FLOAT16 [1,2,3], has 12");
    EXPECT_EQ(target, std::string(size, '.'));
  }
}

TEST(ParseEncodeResponse, SegmentsOutliveTheMessage) {
  std::vector<std::string> pieces;
  for (const char byte : SmallResponse().SerializeAsString()) {
    pieces.emplace_back(1, byte);
  }
  grpc::ByteBuffer message = Message(pieces);
  const auto result = ParseEncodeResponse(message);
  ASSERT_TRUE(result.ok()) << result.status();
  message.Clear();
  EXPECT_TRUE(result->output.bytes().empty());
  const SegmentedTensor& segments = result->segments;
  EXPECT_EQ(segments.dtype(), DType::kFloat16);
  EXPECT_THAT(segments.shape(), ElementsAre(1, 2, 3));
  EXPECT_EQ(segments.size_bytes(), 12u);
  EXPECT_THAT(segments.segments(), SizeIs(Gt(1)));
  std::string bytes;
  for (const auto segment : segments.segments()) bytes += AsString(segment);
  EXPECT_EQ(bytes, "abcdefghijkl");
}

TEST(ParseEncodeStreamResponse, Response) {
  v1::EncodeStreamResponse response;
  *response.mutable_response() = SmallResponse();
  const std::string bytes = response.SerializeAsString();
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    SCOPED_TRACE(split);
    grpc::ByteBuffer message =
        Message({bytes.substr(0, split), bytes.substr(split)});
    absl::StatusOr<EncodeResult> result = ParseEncodeStreamResponse(message);
    ASSERT_TRUE(result.ok()) << result.status();
    ExpectSmallResponse(Delivered(*std::move(result), std::nullopt));
  }
}

TEST(ParseEncodeStreamResponse, Error) {
  v1::ErrorInfo info;
  info.set_reason("D_MODEL_MISMATCH");
  v1::EncodeStreamResponse response;
  response.mutable_error()->set_code(3);
  response.mutable_error()->set_message("8 is not 16");
  google::protobuf::Any& detail = *response.mutable_error()->add_details();
  detail.set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
  detail.set_value(info.SerializeAsString());
  grpc::ByteBuffer message = Message({response.SerializeAsString()});
  const auto result = ParseEncodeStreamResponse(message);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(result.status().message(), "8 is not 16");
  EXPECT_EQ(ErrorReason(result.status()), "D_MODEL_MISMATCH");
}

TEST(ParseEncodeStreamResponse, NeitherIsInternal) {
  grpc::ByteBuffer message = Message({""});
  ExpectInternal(ParseEncodeStreamResponse(message), "malformed");
}

}  // namespace
}  // namespace posenc
