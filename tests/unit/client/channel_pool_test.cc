#include "client/src/channel_pool.h"

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace posenc {
namespace {

using testing::SizeIs;

// A channel that never connects, since no call is made on it.
std::shared_ptr<grpc::Channel> NewChannel() {
  return grpc::CreateChannel("unix:/no/such/socket",
                             grpc::InsecureChannelCredentials());
}

class ChannelPoolTest : public testing::Test {
 protected:
  ChannelPool Pool(std::size_t max_channels) {
    return ChannelPool(
        NewChannel(), [this] { return ++made_, NewChannel(); }, max_channels);
  }

  int made_ = 0;
};

TEST_F(ChannelPoolTest, OneCallAtATimeUsesTheFirstOnly) {
  ChannelPool pool = Pool(4);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(pool.Take(1).channel(), pool.first());
  }
  EXPECT_EQ(made_, 0);
}

TEST_F(ChannelPoolTest, GrowsWhileAllAreBusyAndNoFurtherThanItsLimit) {
  ChannelPool pool = Pool(3);
  std::vector<ChannelPool::Lease> leases;
  std::set<std::shared_ptr<grpc::Channel>> used;
  for (int i = 0; i < 6; ++i) {
    leases.push_back(pool.Take(1));
    used.insert(leases.back().channel());
    EXPECT_THAT(used, SizeIs(std::min(i + 1, 3)));
  }
  EXPECT_EQ(made_, 2);
}

TEST_F(ChannelPoolTest, IdleChannelIsReused) {
  ChannelPool pool = Pool(4);
  const ChannelPool::Lease first = pool.Take(1);
  std::optional<ChannelPool::Lease> second = pool.Take(1);
  const auto channel = second->channel();
  second.reset();
  EXPECT_EQ(pool.Take(1).channel(), channel);
  EXPECT_EQ(made_, 1);
}

TEST_F(ChannelPoolTest, FewestCallsThenFewestBytes) {
  ChannelPool pool = Pool(2);
  const ChannelPool::Lease heavy = pool.Take(1000);
  std::optional<ChannelPool::Lease> light = pool.Take(10);
  ASSERT_NE(heavy.channel(), light->channel());
  {
    const ChannelPool::Lease third = pool.Take(0);
    EXPECT_EQ(third.channel(), light->channel());
    // Two small calls are more than one large one.
    EXPECT_EQ(pool.Take(0).channel(), heavy.channel());
  }
  light.reset();
  EXPECT_NE(pool.Take(5000).channel(), heavy.channel());
}

TEST_F(ChannelPoolTest, MovedLeaseIsGivenBackOnce) {
  ChannelPool pool = Pool(2);
  {
    ChannelPool::Lease lease = pool.Take(1);
    const ChannelPool::Lease moved = std::move(lease);
    EXPECT_NE(pool.Take(1).channel(), moved.channel());
  }
  EXPECT_EQ(pool.Take(1).channel(), pool.first());
}

TEST_F(ChannelPoolTest, LeaseOutlivesThePool) {
  std::optional<ChannelPool> pool(std::in_place, NewChannel(), NewChannel, 1);
  const ChannelPool::Lease lease = pool->Take(1);
  const auto channel = pool->first();
  pool.reset();
  EXPECT_EQ(lease.channel(), channel);
}

TEST_F(ChannelPoolTest, ManyThreads) {
  constexpr int kThreads = 8;
  constexpr int kCalls = 2000;
  ChannelPool pool = Pool(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i) {
        const ChannelPool::Lease lease = pool.Take(7);
        EXPECT_NE(lease.channel(), nullptr);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(made_, 3);
  // All have been given back.
  EXPECT_EQ(pool.Take(1).channel(), pool.first());
}

}  // namespace
}  // namespace posenc
