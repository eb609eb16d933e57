// Many callers at once: every chunk is built once, and nobody's values change.

#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "tests/integration/served_test.h"

namespace posenc::testing {
namespace {

constexpr std::size_t kClients = 64;
constexpr std::uint64_t kSequence = 600;  // three chunks

EncodeOptions Options(std::size_t i) {
  return {.encoding = {.base = 1000.0 + static_cast<double>(i / 2)}};
}

// Two clients share each (d_model, base).
std::uint64_t DModel(std::size_t i) { return 8 + i / 2 % 8; }

class ConcurrencyTest : public ServedTest {
 protected:
  static absl::StatusOr<EncodeResult> Encode(Client& client, std::size_t i) {
    std::vector<float> x(kSequence * DModel(i), 0.125f);
    return client.Encode(
        SharedTensor::FromVector(std::move(x), {1, kSequence, DModel(i)}),
        Options(i));
  }
};

TEST_F(ConcurrencyTest, SixtyFourClientsBuildEachChunkOnceAndAgree) {
  Serve();
  std::vector<std::vector<float>> results(kClients);
  std::barrier start(kClients);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      const auto client = Connect();
      start.arrive_and_wait();
      for (int round = 0; round < 3; ++round) {
        const auto result = Encode(*client, i);
        ASSERT_TRUE(result.ok()) << result.status();
        const std::vector<float> values = Floats(*result);
        if (round > 0) {
          EXPECT_EQ(values, results[i]);
        }
        results[i] = values;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto listing = client_->ListCache();
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_EQ(listing->encodings.size(), kClients / 2);
  for (const CachedEncoding& encoding : listing->encodings) {
    EXPECT_EQ(encoding.chunks_built, 3u);
    EXPECT_EQ(encoding.chunks, 3u);
  }
  // One caller, one thread, a server that has seen nothing: the same bits.
  Serve({"--threads", "1"});
  for (std::size_t i = 0; i < kClients; ++i) {
    const auto alone = Encode(*client_, i);
    ASSERT_TRUE(alone.ok()) << alone.status();
    EXPECT_EQ(Floats(*alone), results[i]) << "client " << i;
  }
}

TEST_F(ConcurrencyTest, EvictionNeverChangesAValue) {
  Serve({"--cache-bytes", "1MiB"});
  const auto expected = Encode(*client_, 3);
  ASSERT_TRUE(expected.ok()) << expected.status();
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int n = 0; n < 50; ++n) {
        if (t == 0) {
          EXPECT_TRUE(client_->EvictCache().ok());
          continue;
        }
        const auto result = Encode(*client_, 3);
        ASSERT_TRUE(result.ok()) << result.status();
        EXPECT_EQ(Floats(*result), Floats(*expected));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace posenc::testing
