#include "server/transport/response_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "posenc/v1/positional_encoding.pb.h"
#include "tests/support/message_bytes.h"

namespace posenc::server {
namespace {

using testing::BytesOf;

// Counts what comes back to it.
class CountingOwner final : public BufferOwner {
 public:
  void Release(std::byte*, std::size_t bytes) override { released += bytes; }
  std::size_t released = 0;
};

class ResponseCodecTest : public ::testing::Test {
 protected:
  static EncodePlan Plan() {
    const auto table = std::make_shared<EmbeddingTable>();
    table->name = "words";
    table->version = "v";
    return {.encoding = {.profile = "torchlingo", .d_model = 3},
            .embedding_scale = 2.5,
            .dtype = DType::kFloat32,
            .shape = {1, 2, 3},
            .output_bytes = sizeof(payload_),
            .table = table};
  }

  // A message of these heads, with the payload as the output.
  grpc::ByteBuffer Message(std::vector<grpc::Slice> slices) {
    slices.push_back(
        ToSlice(ResponseBuffer(owner_, payload_, sizeof(payload_))));
    return grpc::ByteBuffer(slices.data(), slices.size());
  }

  static void Expect(const v1::EncodeResponse& proto,
                     const std::byte (&payload)[24]) {
    EXPECT_EQ(proto.encoding().profile(), "torchlingo");
    EXPECT_EQ(proto.encoding().d_model(), 3u);
    EXPECT_EQ(proto.batch_layout(), v1::BATCH_FIRST);
    EXPECT_EQ(proto.embedding_scale(), 2.5);
    EXPECT_EQ(proto.embedding_table(), "words");
    EXPECT_EQ(proto.embedding_table_version(), "v");
    EXPECT_EQ(proto.output().dtype(), v1::FLOAT32);
    ASSERT_EQ(proto.output().shape_size(), 3);
    EXPECT_EQ(proto.output().shape(2), 3u);
    ASSERT_EQ(proto.output().data().size(), sizeof(payload));
    EXPECT_EQ(
        std::memcmp(proto.output().data().data(), payload, sizeof(payload)), 0);
  }

  alignas(64) std::byte payload_[24] = {std::byte{1}, std::byte{2}};
  std::shared_ptr<CountingOwner> owner_ = std::make_shared<CountingOwner>();
};

TEST_F(ResponseCodecTest, IsWhatProtobufReads) {
  const std::string bytes = BytesOf(Message({ResponseHead(Plan())}));
  v1::EncodeResponse proto;
  ASSERT_TRUE(proto.ParseFromString(bytes));
  Expect(proto, payload_);
  EXPECT_EQ(proto.SerializeAsString(), bytes) << "the payload comes last";
}

TEST_F(ResponseCodecTest, StreamAnswersAreTheSameOneLevelDown) {
  const grpc::Slice head = ResponseHead(Plan());
  v1::EncodeStreamResponse proto;
  ASSERT_TRUE(proto.ParseFromString(BytesOf(
      Message({StreamResponseHead(head.size() + sizeof(payload_)), head}))));
  ASSERT_TRUE(proto.has_response());
  Expect(proto.response(), payload_);
}

TEST_F(ResponseCodecTest, StreamErrorsCarryCodeMessageAndReason) {
  v1::EncodeStreamResponse proto;
  ASSERT_TRUE(proto.ParseFromString(
      BytesOf(StreamErrorToWire(absl::OutOfRangeError("position 5")))));
  ASSERT_TRUE(proto.has_error());
  EXPECT_EQ(proto.error().code(), 11);
  EXPECT_EQ(proto.error().message(), "position 5");
  ASSERT_EQ(proto.error().details_size(), 1);
  v1::ErrorInfo info;
  ASSERT_TRUE(info.ParseFromString(proto.error().details(0).value()));
  EXPECT_EQ(info.reason(), "OUT_OF_RANGE");
  EXPECT_EQ(info.domain(), "posenc");
}

TEST_F(ResponseCodecTest, SendsTheBufferItselfAndGivesItBack) {
  grpc::ByteBuffer message = Message({ResponseHead(Plan())});
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(message.Dump(&slices).ok());
  EXPECT_TRUE(
      std::any_of(slices.begin(), slices.end(), [&](const grpc::Slice& slice) {
        return static_cast<const void*>(slice.begin()) == payload_;
      }));
  message.Clear();
  EXPECT_EQ(owner_->released, 0u) << "a slice still refers to it";
  slices.clear();
  EXPECT_EQ(owner_->released, sizeof(payload_));
}

}  // namespace
}  // namespace posenc::server
