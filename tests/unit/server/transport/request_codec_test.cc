#include "server/transport/request_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "posenc/v1/positional_encoding.pb.h"
#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

using ::testing::HasSubstr;
using Scheme = PositionFields::Scheme;

// The bytes as one message, cut before each of the given offsets.
grpc::ByteBuffer Cut(const std::string& bytes,
                     const std::vector<std::size_t>& cuts = {}) {
  std::vector<grpc::Slice> slices;
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    slices.emplace_back(bytes.substr(from, cut - from));
    from = cut;
  }
  slices.emplace_back(bytes.substr(from));
  return grpc::ByteBuffer(slices.data(), slices.size());
}

std::string Bytes(const std::vector<Segment>& segments) {
  std::string bytes;
  for (const Segment& segment : segments) {
    bytes.append(reinterpret_cast<const char*>(segment.data()), segment.size());
  }
  return bytes;
}

v1::EncodeRequest Sample() {
  v1::EncodeRequest request;
  request.mutable_encoding()->set_profile("fairseq");
  request.mutable_encoding()->set_base(500);
  request.set_batch_layout(v1::SEQUENCE_FIRST);
  request.set_output_dtype(v1::BFLOAT16);
  request.mutable_positions()->mutable_values()->set_dtype(v1::INT32);
  request.mutable_positions()->mutable_values()->add_shape(3);
  request.mutable_positions()->mutable_values()->set_data("positions!!!");
  request.set_embedding_table("words");
  request.mutable_embeddings()->set_dtype(v1::FLOAT16);
  request.mutable_embeddings()->add_shape(3);
  request.mutable_embeddings()->add_shape(1);
  request.mutable_embeddings()->add_shape(300);
  request.mutable_embeddings()->set_data(std::string(600, 'x') + "end");
  return request;
}

void ExpectSample(const ReceivedRequest& received) {
  const EncodeRequest& request = received.request;
  EXPECT_EQ(request.encoding.profile, "fairseq");
  EXPECT_EQ(request.encoding.base, 500);
  EXPECT_EQ(request.encoding.d_model, std::nullopt);
  EXPECT_EQ(request.layout, BatchLayout::kSequenceFirst);
  EXPECT_EQ(request.output_dtype, DType::kBFloat16);
  EXPECT_EQ(request.embedding_table, "words");
  EXPECT_EQ(request.positions.scheme, Scheme::kValues);
  EXPECT_EQ(request.positions.tensor.shape, (Shape{3}));
  EXPECT_EQ(Bytes(request.positions.tensor.data), "positions!!!");
  ASSERT_TRUE(request.embeddings.has_value());
  EXPECT_FALSE(request.token_ids.has_value());
  EXPECT_EQ(request.embeddings->dtype, DType::kFloat16);
  EXPECT_EQ(request.embeddings->shape, (Shape{3, 1, 300}));
  EXPECT_EQ(Bytes(request.embeddings->data), std::string(600, 'x') + "end");
}

void ExpectMalformed(const std::string& bytes) {
  grpc::ByteBuffer message = Cut(bytes);
  const auto received = DecodeRequest(message);
  ASSERT_FALSE(received.ok());
  EXPECT_EQ(received.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(DecodeRequest, ReadsWhatProtobufWrites) {
  grpc::ByteBuffer message = Cut(Sample().SerializeAsString());
  const auto received = DecodeRequest(message);
  ASSERT_TRUE(received.ok()) << received.status();
  ExpectSample(*received);
}

TEST(DecodeRequest, ReadsAMessageCutAtEveryByte) {
  const std::string bytes = Sample().SerializeAsString();
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    grpc::ByteBuffer message = Cut(bytes, {cut});
    const auto received = DecodeRequest(message);
    ASSERT_TRUE(received.ok()) << received.status();
    ExpectSample(*received);
  }
  std::vector<std::size_t> everywhere;
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    everywhere.push_back(cut);
  }
  grpc::ByteBuffer message = Cut(bytes, everywhere);
  const auto received = DecodeRequest(message);
  ASSERT_TRUE(received.ok()) << received.status();
  ExpectSample(*received);
}

TEST(DecodeRequest, CopiesNoPayloadByte) {
  const grpc::Slice slice(Sample().SerializeAsString());
  grpc::ByteBuffer message(&slice, 1);
  const auto received = DecodeRequest(message);
  ASSERT_TRUE(received.ok());
  const auto* first = reinterpret_cast<const std::byte*>(slice.begin());
  const auto& data = received->request.embeddings->data;
  ASSERT_EQ(data.size(), 1u);
  EXPECT_GE(data[0].data(), first);
  EXPECT_LE(data[0].data() + data[0].size(), first + slice.size());
}

TEST(DecodeRequest, TakesFieldsInAnyOrderAndPassesOverUnknownOnes) {
  const v1::EncodeRequest sample = Sample();
  v1::EncodeRequest input, rest = sample;
  *input.mutable_embeddings() = sample.embeddings();
  rest.clear_embeddings();
  // Field 99, length-delimited, 3 bytes; field 100, varint.
  const std::string unknown(
      "\x9a\x06\x03"
      "abc"
      "\xa0\x06\x05",
      9);
  grpc::ByteBuffer message =
      Cut(input.SerializeAsString() + unknown + rest.SerializeAsString());
  const auto received = DecodeRequest(message);
  ASSERT_TRUE(received.ok()) << received.status();
  ExpectSample(*received);
}

TEST(DecodeRequest, TheLastInputCounts) {
  v1::EncodeRequest ids;
  ids.mutable_token_ids()->set_dtype(v1::INT32);
  ids.mutable_token_ids()->add_shape(1);
  grpc::ByteBuffer message =
      Cut(Sample().SerializeAsString() + ids.SerializeAsString());
  const auto received = DecodeRequest(message);
  ASSERT_TRUE(received.ok()) << received.status();
  EXPECT_FALSE(received->request.embeddings.has_value());
  ASSERT_TRUE(received->request.token_ids.has_value());
  EXPECT_TRUE(received->request.token_ids->data.empty());
}

TEST(DecodeRequest, RefusesWhatIsCutShort) {
  const std::string bytes = Sample().SerializeAsString();
  // The message may end between two fields; everywhere else it may not.
  int refused = 0;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    grpc::ByteBuffer message = Cut(bytes.substr(0, size));
    const auto received = DecodeRequest(message);
    v1::EncodeRequest proto;
    const bool valid = proto.ParseFromString(bytes.substr(0, size));
    EXPECT_EQ(received.ok(), valid) << size << " " << received.status();
    if (!received.ok()) ++refused;
  }
  EXPECT_GT(refused, 600);
}

TEST(DecodeRequest, RefusesGarbage) {
  ExpectMalformed("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  ExpectMalformed(std::string(1, '\0'));
  // A payload that claims 2 GiB.
  ExpectMalformed("\x72\xff\xff\xff\xff\x07\x7a\xff\xff\xff\xff\x07");
  // A tensor inside positions that is longer than the positions.
  ExpectMalformed("\x22\x02\x12\x20" + std::string(32, 'a'));
}

TEST(DecodeRequest, RefusesLongHeaders) {
  v1::EncodeRequest request;
  request.set_embedding_table(std::string(kMaxHeaderBytes + 1, 'a'));
  grpc::ByteBuffer message = Cut(request.SerializeAsString());
  const auto received = DecodeRequest(message);
  EXPECT_EQ(ReasonOf(received.status()), "HEADER_TOO_LONG");
  EXPECT_THAT(std::string(received.status().message()),
              HasSubstr("65537 bytes or more, but at most 65536"));
  v1::EncodeRequest many;
  for (std::size_t i = 0; i < kMaxHeaderBytes; ++i) {
    many.mutable_embeddings()->add_shape(1);
  }
  message = Cut(many.SerializeAsString());
  EXPECT_EQ(ReasonOf(DecodeRequest(message).status()), "HEADER_TOO_LONG");
}

TEST(DecodeRequest, RefusesEnumsThatTheContractDoesNotName) {
  v1::EncodeRequest request = Sample();
  request.mutable_embeddings()->set_dtype(static_cast<v1::DType>(9));
  grpc::ByteBuffer message = Cut(request.SerializeAsString());
  const auto received = DecodeRequest(message);
  EXPECT_EQ(ReasonOf(received.status()), "ENUM_VALUE");
  EXPECT_THAT(std::string(received.status().message()),
              HasSubstr("embeddings.dtype is 9"));
}

}  // namespace
}  // namespace posenc::server
