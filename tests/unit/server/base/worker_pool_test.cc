#include "server/base/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

namespace posenc::server {
namespace {

TEST(WorkerPool, RunsEveryTaskBeforeItGoes) {
  std::atomic<int> ran = 0;
  {
    WorkerPool pool(3);
    for (int i = 0; i < 100; ++i) pool.Submit([&] { ++ran; });
  }
  EXPECT_EQ(ran, 100);
}

TEST(WorkerPool, OneThreadKeepsTheOrder) {
  std::vector<int> order;
  {
    WorkerPool pool(1);
    for (int i = 0; i < 10; ++i) pool.Submit([&, i] { order.push_back(i); });
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(WorkerPool, ForEachDoesEachNumberOnceAndWaits) {
  WorkerPool pool(3);
  for (const std::size_t count : {0u, 1u, 2u, 1000u}) {
    std::vector<std::atomic<int>> times(count);
    pool.ForEach(count, [&](std::size_t i) { ++times[i]; });
    for (const auto& n : times) EXPECT_EQ(n, 1);
  }
}

TEST(WorkerPool, ForEachNeedsNoIdleThread) {
  std::promise<void> blocked, unblock;  // the task has them to its end
  WorkerPool pool(1);
  pool.Submit([&] {
    blocked.set_value();
    unblock.get_future().wait();
  });
  blocked.get_future().wait();
  int done = 0;
  pool.ForEach(10, [&](std::size_t) { ++done; });
  EXPECT_EQ(done, 10);
  unblock.set_value();
}

TEST(WorkerPool, ForEachNeedsNoThreads) {
  WorkerPool pool(0);
  int done = 0;
  pool.ForEach(10, [&](std::size_t) { ++done; });
  EXPECT_EQ(done, 10);
}

TEST(WorkerPool, TasksMayCallForEach) {
  std::atomic<int> done = 0;
  {
    WorkerPool pool(2);
    for (int i = 0; i < 20; ++i) {
      pool.Submit([&] { pool.ForEach(7, [&](std::size_t) { ++done; }); });
    }
  }
  EXPECT_EQ(done, 140);
}

}  // namespace
}  // namespace posenc::server
