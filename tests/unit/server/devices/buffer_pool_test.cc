#include "server/devices/buffer_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/base/limits.h"

namespace posenc::server {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kBound = 64 * kMiB;
constexpr std::uint64_t kRetained = 16 * kMiB;

ResponseBuffer MustAllocate(BufferPool& pool, std::size_t bytes) {
  absl::StatusOr<ResponseBuffer> buffer = pool.Allocate(bytes);
  EXPECT_TRUE(buffer.ok()) << buffer.status();
  return *std::move(buffer);
}

TEST(BufferPool, BuffersAreAlignedAndAsLongAsAskedFor) {
  const auto pool = BufferPool::Create(kBound, kRetained);
  for (const std::size_t bytes :
       {0u, 1u, 63u, 1024u, 1025u, 4097u, 1u << 20, (2u << 20) - 1, 2u << 20,
        (2u << 20) + 1, 5000000u}) {
    const ResponseBuffer buffer = MustAllocate(*pool, bytes);
    EXPECT_EQ(buffer.bytes().size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.bytes().data()) % 64, 0u);
    if (bytes > 0) std::memset(buffer.bytes().data(), 1, bytes);
  }
}

TEST(BufferPool, ReusesAReleasedBuffer) {
  const auto pool = BufferPool::Create(kBound, kRetained);
  for (const std::size_t bytes : {std::size_t{5000}, std::size_t{5 * kMiB}}) {
    const std::byte* first = MustAllocate(*pool, bytes).bytes().data();
    const auto before = pool->counters();
    const ResponseBuffer again = MustAllocate(*pool, bytes - 7);
    EXPECT_EQ(again.bytes().data(), first);
    EXPECT_EQ(pool->counters().pool_hits, before.pool_hits + 1);
    EXPECT_EQ(pool->counters().allocations, before.allocations);
  }
}

TEST(BufferPool, SizesDifferByAQuarterAtMost) {
  const auto pool = BufferPool::Create(kBound, kRetained);
  std::uint64_t retained = 0;
  for (std::size_t bytes = 1025; bytes < 1000000; bytes += bytes / 3) {
    { const ResponseBuffer buffer = MustAllocate(*pool, bytes); }
    const std::uint64_t size = pool->counters().retained_bytes - retained;
    EXPECT_GE(size, bytes);
    EXPECT_LE(size, bytes + bytes / 4);
    retained += size;
  }
}

TEST(BufferPool, CountsWhatIsOutstanding) {
  const auto pool = BufferPool::Create(kBound, kRetained);
  ResponseBuffer a = MustAllocate(*pool, 1000);
  {
    const ResponseBuffer b = MustAllocate(*pool, 3000);
    EXPECT_EQ(pool->counters().outstanding_bytes, 4000u);
  }
  EXPECT_EQ(pool->counters().outstanding_bytes, 1000u);
  const ResponseBuffer moved = std::move(a);
  EXPECT_EQ(pool->counters().outstanding_bytes, 1000u);
  EXPECT_EQ(pool->counters().allocations, 2u);
}

TEST(BufferPool, RefusesWhatIsOverTheBoundWithBothNumbers) {
  const auto pool = BufferPool::Create(10000, kRetained);
  ResponseBuffer held = MustAllocate(*pool, 6000);
  const absl::Status status = pool->Allocate(4001).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  const std::string message(status.message());
  EXPECT_THAT(message, HasSubstr("4001 bytes on top of 6000 bytes"));
  EXPECT_THAT(message, HasSubstr("limit of 10000 bytes"));
  EXPECT_THAT(message, HasSubstr("--max-response-bytes"));

  EXPECT_TRUE(pool->Allocate(4000).ok());
  held = ResponseBuffer();
  EXPECT_TRUE(pool->Allocate(10000).ok());
}

TEST(BufferPool, RefusesSizesBeyondAnyMemory) {
  const auto pool = BufferPool::Create(UINT64_MAX, kRetained);
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 2}) {
    EXPECT_EQ(pool->Allocate(bytes).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
  EXPECT_EQ(pool->counters().outstanding_bytes, 0u);
  EXPECT_EQ(pool->counters().allocations, 0u);
}

TEST(BufferPool, KeepsNoMoreThanItMay) {
  const auto pool = BufferPool::Create(kBound, 8 * kMiB);
  {
    std::vector<ResponseBuffer> buffers;
    for (int i = 0; i < 5; ++i) {
      buffers.push_back(MustAllocate(*pool, 3 * kMiB));
    }
  }
  EXPECT_EQ(pool->counters().retained_bytes, 6 * kMiB);
  { const ResponseBuffer larger = MustAllocate(*pool, 9 * kMiB); }
  EXPECT_EQ(pool->counters().retained_bytes, 6 * kMiB);
}

TEST(BufferPool, OtherSizesMakeRoomForThoseInUse) {
  const auto pool = BufferPool::Create(kBound, 8 * kMiB);
  { const ResponseBuffer old = MustAllocate(*pool, 8 * kMiB); }
  { const ResponseBuffer current = MustAllocate(*pool, 3 * kMiB); }
  EXPECT_EQ(pool->counters().retained_bytes, 3 * kMiB);
  { const ResponseBuffer current = MustAllocate(*pool, 3 * kMiB); }
  EXPECT_EQ(pool->counters().pool_hits, 1u);
}

TEST(BufferPool, LivesUntilItsLastBuffer) {
  auto pool = BufferPool::Create(kBound, kRetained);
  ResponseBuffer buffer = MustAllocate(*pool, 100);
  const std::weak_ptr<BufferPool> watch = pool;
  pool.reset();
  EXPECT_FALSE(watch.expired());
  std::memset(buffer.bytes().data(), 1, buffer.bytes().size());
  buffer = ResponseBuffer();
  EXPECT_TRUE(watch.expired());
}

TEST(BufferPool, ServesManyThreadsWithDistinctBuffers) {
  const auto pool = BufferPool::Create(kBound, 2 * kMiB);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&pool, t] {
      for (int i = 0; i < 500; ++i) {
        const auto bytes = static_cast<std::size_t>(1 + (i * 7919) % 100000);
        const ResponseBuffer buffer = MustAllocate(*pool, bytes);
        std::memset(buffer.bytes().data(), t, bytes);
        for (const std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1}) {
          ASSERT_EQ(std::to_integer<int>(buffer.bytes()[at]), t);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const BufferPool::Counters counters = pool->counters();
  EXPECT_EQ(counters.outstanding_bytes, 0u);
  EXPECT_EQ(counters.allocations + counters.pool_hits, 8u * 500u);
  EXPECT_LE(counters.retained_bytes, 2 * kMiB);
}

}  // namespace
}  // namespace posenc::server
