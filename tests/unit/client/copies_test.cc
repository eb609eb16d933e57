// How often the client copies a payload. A copy needs memory as large as the
// payload, or goes into the caller's: so the tests count the large allocations
// of their own thread, and look at where bytes are.

#include <gmock/gmock.h>
#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "client/src/encode_codec.h"
#include "posenc/client.h"
#include "posenc/v1/positional_encoding.pb.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/client/connected_test.h"

namespace posenc {
namespace {

constexpr std::size_t kPayloadBytes = 8 << 20;
constexpr std::size_t kElements = kPayloadBytes / sizeof(float);
constexpr std::uint64_t kNoLimit = 1 << 30;

int LargeAllocations(const std::function<void()>& work) {
  return testing::CountAllocations(kPayloadBytes / 2, work).large;
}

// What LargeAllocations gives for so many.
constexpr int Counted(int allocations) {
  return testing::kCountsAllocations ? allocations : 0;
}

std::vector<float> Values() {
  std::vector<float> values(kElements);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i);
  }
  return values;
}

std::vector<grpc::Slice> Slices(const grpc::ByteBuffer& message) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(message.Dump(&slices).ok());
  return slices;
}

bool SameBytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

// What a server would send for the values, in slices as long as those that gRPC
// reads. (It holds very short ones by value, so that they have no address.)
grpc::ByteBuffer Response(const std::vector<float>& values) {
  v1::EncodeResponse response;
  v1::Tensor& output = *response.mutable_output();
  output.set_dtype(v1::FLOAT32);
  output.add_shape(values.size());
  output.set_data(values.data(), kPayloadBytes);
  const std::string bytes = response.SerializeAsString();
  constexpr std::size_t kSliceBytes = 60'000;
  EXPECT_GT(bytes.size() % kSliceBytes, 100u);
  std::vector<grpc::Slice> slices;
  for (std::size_t i = 0; i < bytes.size(); i += kSliceBytes) {
    slices.emplace_back(bytes.substr(i, kSliceBytes));
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

TEST(Copies, LargeAllocationsAreSeen) {
  EXPECT_EQ(LargeAllocations([] { std::vector<float> values(kElements); }),
            Counted(1));
  EXPECT_EQ(LargeAllocations([] { Tensor({}, {}, kPayloadBytes); }),
            Counted(1));
  EXPECT_EQ(LargeAllocations([] { grpc::Slice slice(kPayloadBytes); }),
            Counted(1));
}

TEST(Copies, SharedTensorIsSentFromWhereItIs) {
  EncodeParams params;
  const SharedTensor tensor = SharedTensor::FromVector(Values(), {kElements});
  params.payload = tensor;
  absl::StatusOr<grpc::ByteBuffer> message;
  EXPECT_EQ(LargeAllocations([&] {
              message = EncodeRequest::Create(params, kNoLimit)->ToMessage();
            }),
            0);
  ASSERT_TRUE(message.ok()) << message.status();
  const std::vector<grpc::Slice> slices = Slices(*message);
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(static_cast<const void*>(slices[1].begin()), tensor.data.data());
  EXPECT_EQ(slices[1].size(), kPayloadBytes);
}

TEST(Copies, ViewIsCopiedOnce) {
  const std::vector<float> values = Values();
  const auto bytes = std::as_bytes(std::span(values));
  EncodeParams params;
  params.payload = TensorView(std::span(values), {kElements});
  absl::StatusOr<grpc::ByteBuffer> message;
  EXPECT_EQ(LargeAllocations([&] {
              message = EncodeRequest::Create(params, kNoLimit)->ToMessage();
            }),
            Counted(1));
  ASSERT_TRUE(message.ok()) << message.status();
  const std::vector<grpc::Slice> slices = Slices(*message);
  ASSERT_EQ(slices.size(), 2u);
  const auto sent =
      std::as_bytes(std::span(slices[1].begin(), slices[1].size()));
  EXPECT_NE(sent.data(), bytes.data());
  EXPECT_TRUE(SameBytes(sent, bytes));
}

TEST(Copies, SegmentsAreTheMessagesOwnBytes) {
  const std::vector<float> values = Values();
  grpc::ByteBuffer message = Response(values);
  absl::StatusOr<EncodeResult> result;
  EXPECT_EQ(LargeAllocations([&] { result = ParseEncodeResponse(message); }),
            0);
  ASSERT_TRUE(result.ok()) << result.status();
  const std::vector<grpc::Slice> slices = Slices(message);
  const auto& segments = result->segments.segments();
  ASSERT_EQ(segments.size(), slices.size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto slice =
        std::as_bytes(std::span(slices[i].begin(), slices[i].size()));
    // The first slice begins with what is not payload.
    EXPECT_EQ(segments[i].data() + segments[i].size(),
              slice.data() + slice.size());
    EXPECT_LE(segments[i].size(), slice.size());
  }
  EXPECT_EQ(result->segments.size_bytes(), kPayloadBytes);
}

TEST(Copies, CallersMemoryIsFilledFromTheSegments) {
  const std::vector<float> values = Values();
  grpc::ByteBuffer message = Response(values);
  std::vector<float> output(kElements);
  EXPECT_EQ(LargeAllocations([&] {
              EXPECT_TRUE(Delivered(*ParseEncodeResponse(message),
                                    std::as_writable_bytes(std::span(output)))
                              .ok());
            }),
            0);
  EXPECT_EQ(output, values);
}

TEST(Copies, TensorIsFilledFromTheSegments) {
  const std::vector<float> values = Values();
  grpc::ByteBuffer message = Response(values);
  absl::StatusOr<EncodeResult> result;
  EXPECT_EQ(LargeAllocations([&] {
              result = Delivered(*ParseEncodeResponse(message), std::nullopt);
            }),
            Counted(1));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(
      SameBytes(result->output.bytes(), std::as_bytes(std::span(values))));
}

class CopiesOverAConnection : public ConnectedTest {
 protected:
  CopiesOverAConnection() {
    ON_CALL(server_.encoding, Encode)
        .WillByDefault([](auto, const v1::EncodeRequest* request,
                          v1::EncodeResponse* response) {
          Echo(*request, *response);
          return grpc::Status::OK;
        });
  }
};

TEST_F(CopiesOverAConnection, NoneThatIsNotAskedFor) {
  Client client = Connect();
  const SharedTensor tensor = SharedTensor::FromVector(Values(), {kElements});
  std::vector<std::byte> output(kPayloadBytes);
  EXPECT_EQ(LargeAllocations(
                [&] { EXPECT_TRUE(client.EncodeInto(output, tensor).ok()); }),
            0);
  EXPECT_TRUE(SameBytes(output, tensor.data));
  absl::StatusOr<EncodeResult> result;
  EXPECT_EQ(LargeAllocations([&] { result = client.EncodeSegmented(tensor); }),
            0);
  ASSERT_TRUE(result.ok()) << result.status();
  std::ranges::fill(output, std::byte{});
  EXPECT_TRUE(result->segments.CopyTo(output).ok());
  EXPECT_TRUE(SameBytes(output, tensor.data));
}

}  // namespace
}  // namespace posenc
