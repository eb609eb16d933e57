// EncodeStream: in order, bounded, an error in its place.

#include <gtest/gtest.h>

#include <thread>

#include "tests/integration/served_test.h"

namespace posenc::testing {
namespace {

constexpr int kMessages = 1000;

bool IsBad(int n) { return n % 100 == 37; }

class StreamTest : public ServedTest {
 protected:
  void SetUp() override { Serve(); }

  // Message n: one element of value n; its answer is n + sin 0. Bad ones claim
  // two elements.
  static EncodeParams Message(int n, const float& value) {
    const std::uint64_t claimed = IsBad(n) ? 2 : 1;
    return {.payload = TensorView(std::span(&value, 1), {1, 1, claimed})};
  }
};

TEST_F(StreamTest, AThousandMessagesInOrderTenBadOnesInPlace) {
  auto stream = client_->OpenEncodeStream();
  ASSERT_TRUE(stream.ok()) << stream.status();
  std::thread sender([&] {
    for (int n = 0; n < kMessages; ++n) {
      const auto value = static_cast<float>(n);
      ASSERT_TRUE((*stream)->Send(Message(n, value)).ok());
    }
    EXPECT_TRUE((*stream)->FinishSending().ok());
  });
  int bad = 0;
  for (int n = 0; n < kMessages; ++n) {
    const auto answer = (*stream)->Receive();
    ASSERT_TRUE(answer.has_value());
    if (IsBad(n)) {
      ++bad;
      EXPECT_EQ(answer->status().code(), absl::StatusCode::kInvalidArgument);
      EXPECT_EQ(ErrorReason(answer->status()), "PAYLOAD_SIZE");
      continue;
    }
    ASSERT_TRUE(answer->ok()) << answer->status();
    EXPECT_EQ(Floats(**answer), (std::vector<float>{static_cast<float>(n)}));
  }
  EXPECT_EQ(bad, 10);
  EXPECT_FALSE((*stream)->Receive().has_value());
  EXPECT_TRUE((*stream)->Finish().ok());
  sender.join();
  ExpectGood();
}

TEST_F(StreamTest, AnAbandonedStreamHarmsNobody) {
  for (int round = 0; round < 20; ++round) {
    auto stream = client_->OpenEncodeStream();
    ASSERT_TRUE(stream.ok()) << stream.status();
    for (int n = 0; n < round; ++n) {
      const float value = 1;
      EXPECT_TRUE((*stream)->Send(Message(n, value)).ok());
    }
  }
  ExpectGood();
}

}  // namespace
}  // namespace posenc::testing
