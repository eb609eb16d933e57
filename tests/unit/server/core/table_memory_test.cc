#include "server/core/table_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "server/base/limits.h"

namespace posenc::server {
namespace {

constexpr std::size_t kBlock = 512 * kKiB / sizeof(double);

bool HoldsOnly(const std::shared_ptr<double>& block, std::size_t count,
               double value) {
  return std::all_of(block.get(), block.get() + count,
                     [value](double x) { return x == value; });
}

TEST(TableMemory, BlocksAreAlignedAndApart) {
  const auto memory = TableMemory::Create(16 * kMiB);
  std::vector<std::shared_ptr<double>> blocks;
  for (std::size_t count = 1; count < 4 * kBlock; count = count * 3 + 1) {
    blocks.push_back(memory->Allocate(count));
    ASSERT_NE(blocks.back(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back().get()) % 64, 0u);
    std::fill_n(blocks.back().get(), count, static_cast<double>(count));
  }
  std::size_t count = 1;
  for (const auto& block : blocks) {
    EXPECT_TRUE(HoldsOnly(block, count, static_cast<double>(count))) << count;
    count = count * 3 + 1;
  }
}

TEST(TableMemory, UsesBlocksAgain) {
  const auto memory = TableMemory::Create(16 * kMiB);
  auto first = memory->Allocate(kBlock);
  auto second = memory->Allocate(kBlock);
  const auto third = memory->Allocate(kBlock);
  const double* const lowest = first.get();
  // Side by side they make one large block.
  first.reset();
  second.reset();
  EXPECT_EQ(memory->Allocate(2 * kBlock).get(), lowest);
  EXPECT_EQ(memory->Allocate(kBlock).get(), lowest);
  EXPECT_NE(memory->Allocate(3 * kBlock).get(), lowest);
}

TEST(TableMemory, IsWholeAgainOnceAllIsBack) {
  const auto memory = TableMemory::Create(4 * kMiB);
  const double* const lowest = memory->Allocate(kBlock).get();
  std::vector<std::shared_ptr<double>> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(memory->Allocate(kBlock));
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(1));
  blocks.clear();
  EXPECT_EQ(memory->Allocate(8 * kBlock).get(), lowest);
}

TEST(TableMemory, GoesOnBeyondItsCapacity) {
  for (const std::uint64_t capacity :
       {std::uint64_t{0}, std::uint64_t{1}, 2 * kMiB, ~std::uint64_t{0}}) {
    const auto memory = TableMemory::Create(capacity);
    std::vector<std::shared_ptr<double>> blocks;
    for (int i = 0; i < 10; ++i) {
      blocks.push_back(memory->Allocate(kBlock));
      ASSERT_NE(blocks.back(), nullptr);
      std::fill_n(blocks.back().get(), kBlock, i);
    }
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(HoldsOnly(blocks[static_cast<std::size_t>(i)], kBlock, i));
    }
  }
}

TEST(TableMemory, LivesAsLongAsItsBlocks) {
  auto memory = TableMemory::Create(4 * kMiB);
  const auto block = memory->Allocate(kBlock);
  memory.reset();
  std::fill_n(block.get(), kBlock, 3);
  EXPECT_TRUE(HoldsOnly(block, kBlock, 3));
}

TEST(TableMemory, GivesNoBlockTwiceAtOnce) {
  constexpr int kThreads = 4;
  const auto memory = TableMemory::Create(4 * kMiB);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&memory, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int n = 0; n < 50; ++n) {
        const std::size_t count = kBlock / 2 + random() % kBlock;
        const auto block = memory->Allocate(count);
        std::fill_n(block.get(), count, t);
        ASSERT_TRUE(HoldsOnly(block, count, t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace posenc::server
