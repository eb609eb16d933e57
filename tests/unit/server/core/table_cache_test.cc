#include "server/core/table_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <numeric>
#include <thread>
#include <vector>

#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

using ::testing::HasSubstr;
using Miss = TableCache::Miss;

constexpr std::uint64_t kWidth = 4;
constexpr std::uint64_t kChunkBytes = kChunkRows * kWidth * sizeof(double);

// Rows hold their position; counts how often each chunk is built, and can be
// made to fail.
class CountingEncoding final : public Encoding {
 public:
  Op op() const override { return Op::kAdd; }
  std::uint64_t width() const override { return kWidth; }
  PositionRange range() const override { return {-1000000, 1000000}; }
  std::uint64_t bytes() const override { return 16; }
  absl::Status BuildRows(std::int64_t first,
                         std::span<double> rows) const override {
    ++builds;
    if (fail) return absl::NotFoundError("gone");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<double>(first) + static_cast<double>(i / kWidth);
    }
    return absl::OkStatus();
  }
  absl::Status StreamRows(std::int64_t first,
                          std::span<double> rows) const override {
    ++streams;
    return BuildRows(first, rows);
  }
  absl::Status BuildRow(double, std::span<double>) const override {
    return absl::OkStatus();
  }

  mutable std::atomic<int> builds = 0;
  mutable std::atomic<int> streams = 0;
  std::atomic<bool> fail = false;
};

class TableCacheTest : public ::testing::Test {
 protected:
  TableCacheTest() : device_(*MakeDevice("cpu", kMiB, workers_)) {}

  std::shared_ptr<TableCache::Entry> Find(TableCache& cache,
                                          const std::string& key = "a") {
    auto entry = cache.Find({key, [this] { return encoding_; }},
                            {.profile = key, .d_model = kWidth});
    EXPECT_TRUE(entry.ok()) << entry.status();
    return *entry;
  }

  WorkerPool workers_{2};
  std::unique_ptr<Device> device_;
  std::shared_ptr<CountingEncoding> encoding_ =
      std::make_shared<CountingEncoding>();
};

TEST_F(TableCacheTest, BuildsAChunkOnce) {
  TableCache cache(*device_, kMiB, workers_);
  const auto entry = Find(cache);
  const std::int64_t indices[] = {0, -1, 7};
  std::uint64_t built = 0;
  const auto first = cache.Acquire(entry, indices, Miss::kBuild, &built);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(built, 3u);
  const auto second = cache.Acquire(entry, indices, Miss::kBuild, &built);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(built, 0u);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(encoding_->builds, 3);
  const auto stats = cache.GetStats();
  ASSERT_EQ(stats.entries.size(), 1u);
  EXPECT_EQ(stats.entries[0].chunks, 3u);
  EXPECT_EQ(stats.entries[0].bytes, 3 * kChunkBytes);
  EXPECT_EQ(stats.entries[0].chunks_built, 3u);
  EXPECT_EQ(stats.entries[0].hits, 3u);
}

TEST_F(TableCacheTest, StreamsWhatCachesDoNotHold) {
  TableCache cache(*device_, 16 * kMiB, workers_);
  const auto entry = Find(cache);
  constexpr std::int64_t kStreamedChunks = 8 * kMiB / kChunkBytes;
  std::vector<std::int64_t> indices(kStreamedChunks);
  std::iota(indices.begin(), indices.end(), 1);
  const std::int64_t one[] = {0};
  ASSERT_TRUE(cache.Acquire(entry, one, Miss::kBuild).ok());
  EXPECT_EQ(encoding_->streams, 0);
  ASSERT_TRUE(cache.Acquire(entry, indices, Miss::kBuild).ok());
  EXPECT_EQ(encoding_->streams, kStreamedChunks);
}

TEST_F(TableCacheTest, SkipsWhatIsNotHeld) {
  TableCache cache(*device_, kMiB, workers_);
  const auto entry = Find(cache);
  const std::int64_t held[] = {1};
  ASSERT_TRUE(cache.Acquire(entry, held, Miss::kBuild).ok());
  const std::int64_t wanted[] = {0, 1};
  const auto chunks = cache.Acquire(entry, wanted, Miss::kSkip);
  ASSERT_TRUE(chunks.ok());
  EXPECT_EQ((*chunks)[0], nullptr);
  EXPECT_NE((*chunks)[1], nullptr);
  EXPECT_EQ(encoding_->builds, 1);
}

TEST_F(TableCacheTest, DropsTheLeastRecentlyUsed) {
  TableCache cache(*device_, 3 * kChunkBytes + 100, workers_);
  const auto entry = Find(cache);
  const auto get = [&](std::int64_t index) {
    EXPECT_TRUE(cache.Acquire(entry, std::span(&index, 1), Miss::kBuild).ok());
  };
  for (const std::int64_t index : {0, 1, 2, 0, 3}) get(index);
  // 1 was the least recently used; 0 has been used since.
  const std::int64_t all[] = {0, 1, 2, 3};
  const auto held = cache.Acquire(entry, all, Miss::kSkip);
  ASSERT_TRUE(held.ok());
  EXPECT_NE((*held)[0], nullptr);
  EXPECT_EQ((*held)[1], nullptr);
  EXPECT_NE((*held)[2], nullptr);
  EXPECT_NE((*held)[3], nullptr);
  EXPECT_EQ(cache.GetStats().chunks_evicted, 1u);
}

TEST_F(TableCacheTest, NeverDropsWhatIsPinned) {
  TableCache cache(*device_, 2 * kChunkBytes + 100, workers_);
  const auto entry = Find(cache);
  const std::int64_t both[] = {0, 1};
  auto pinned = cache.Acquire(entry, both, Miss::kBuild);
  ASSERT_TRUE(pinned.ok());
  const std::int64_t third[] = {2};
  const auto refused = cache.Acquire(entry, third, Miss::kBuild);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ReasonOf(refused.status()), "CACHE_BUDGET");
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("need 8192 bytes, but 16400 of the 16484"));
  pinned->clear();
  EXPECT_TRUE(cache.Acquire(entry, third, Miss::kBuild).ok());
}

TEST_F(TableCacheTest, RefusesWhatCanNeverFit) {
  TableCache cache(*device_, 2 * kChunkBytes + 100, workers_);
  const auto entry = Find(cache);
  const std::int64_t three[] = {0, 1, 2};
  const auto refused = cache.Acquire(entry, three, Miss::kBuild);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("need 24576 bytes, but the cache holds at most 16484"));
  EXPECT_EQ(encoding_->builds, 0);
  const std::int64_t one[] = {0};
  EXPECT_TRUE(cache.Acquire(entry, one, Miss::kBuild).ok());
}

TEST_F(TableCacheTest, AFailedBuildIsNotKept) {
  TableCache cache(*device_, kMiB, workers_);
  const auto entry = Find(cache);
  const std::uint64_t before = cache.GetStats().bytes;
  const std::int64_t one[] = {0};
  encoding_->fail = true;
  EXPECT_EQ(cache.Acquire(entry, one, Miss::kBuild).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(cache.GetStats().bytes, before);
  encoding_->fail = false;
  EXPECT_TRUE(cache.Acquire(entry, one, Miss::kBuild).ok());
}

TEST_F(TableCacheTest, EvictsOneEncodingOrAll) {
  TableCache cache(*device_, kMiB, workers_);
  const std::int64_t two[] = {0, 1};
  ASSERT_TRUE(cache.Acquire(Find(cache, "a"), two, Miss::kBuild).ok());
  auto in_use = cache.Acquire(Find(cache, "b"), two, Miss::kBuild);
  ASSERT_TRUE(in_use.ok());
  EXPECT_EQ(cache.Evict("a").chunks, 2u);
  EXPECT_EQ(cache.GetStats().entries.size(), 1u);
  const auto evicted = cache.Evict(std::nullopt);
  EXPECT_EQ(evicted.chunks, 2u);
  EXPECT_EQ(evicted.bytes, 2 * kChunkBytes);
  EXPECT_EQ(cache.GetStats().bytes, 0u);
  // What is in use lives on.
  EXPECT_EQ((*in_use)[1]->rows(), static_cast<std::uint64_t>(kChunkRows));
}

TEST_F(TableCacheTest, MakesRoomForEncodingsBeyondTheMost) {
  TableCache cache(*device_, kGiB, workers_);
  const std::int64_t one[] = {0};
  for (std::size_t i = 0; i < kMaxCachedEncodings + 3; ++i) {
    const auto entry = Find(cache, std::to_string(i));
    ASSERT_TRUE(cache.Acquire(entry, one, Miss::kBuild).ok());
  }
  EXPECT_LE(cache.GetStats().entries.size(), kMaxCachedEncodings);
}

TEST_F(TableCacheTest, ConcurrentMissesShareOneBuild) {
  constexpr int kThreads = 16;
  constexpr int kChunks = 8;
  TableCache cache(*device_, kMiB, workers_);
  std::barrier start(kThreads);
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      const auto entry = cache.Find({"a",
                                     [&] {
                                       ++made;
                                       return encoding_;
                                     }},
                                    {.d_model = kWidth});
      ASSERT_TRUE(entry.ok());
      std::vector<std::int64_t> indices(kChunks);
      for (int i = 0; i < kChunks; ++i) indices[static_cast<size_t>(i)] = i;
      const auto chunks = cache.Acquire(*entry, indices, Miss::kBuild);
      ASSERT_TRUE(chunks.ok()) << chunks.status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(encoding_->builds, kChunks);
  EXPECT_EQ(cache.GetStats().chunks_built, static_cast<std::uint64_t>(kChunks));
}

TEST_F(TableCacheTest, SurvivesEvictionWhileInUse) {
  constexpr int kThreads = 8;
  TableCache cache(*device_, 4 * kChunkBytes + 1000, workers_);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int n = 0; n < 200; ++n) {
        const auto entry = Find(cache, std::to_string(t % 2));
        const std::int64_t index = (t + n) % 3;
        const auto chunks =
            cache.Acquire(entry, std::span(&index, 1), Miss::kBuild);
        if (!chunks.ok()) {
          // All room was pinned by others just then.
          EXPECT_EQ(chunks.status().code(),
                    absl::StatusCode::kResourceExhausted);
        }
        if (n % 50 == t) cache.Evict(std::nullopt);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  cache.Evict(std::nullopt);
  EXPECT_EQ(cache.GetStats().bytes, 0u);
}

}  // namespace
}  // namespace posenc::server
