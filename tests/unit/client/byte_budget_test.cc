#include "client/src/byte_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "tests/unit/client/fake_server.h"

namespace posenc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Call PatientCall(std::function<bool()> cancelled = {}) {
  return Call(std::move(cancelled), DeadlineAfter(kPatience));
}

TEST(ByteBudget, TakesUpToItsCapacity) {
  ByteBudget budget(100);
  Call call = PatientCall();
  const auto first = budget.Take(60, call);
  const auto second = budget.Take(40, call);
  EXPECT_TRUE(first.ok() && second.ok());
}

TEST(ByteBudget, LargerThanItGoesAlone) {
  ByteBudget budget(100);
  Call patient = PatientCall();
  Call late({}, DeadlineAfter(std::chrono::milliseconds(0)));
  {
    const auto large = budget.Take(1000, patient);
    EXPECT_TRUE(large.ok());
    EXPECT_FALSE(budget.Take(1, late).ok());
  }
  const auto small = budget.Take(1, patient);
  EXPECT_TRUE(small.ok());
  EXPECT_FALSE(budget.Take(1000, late).ok());
}

TEST(ByteBudget, DeadlineNamesTheKnobAndLeavesNothingBehind) {
  ByteBudget budget(100);
  Call patient = PatientCall();
  Call late({}, DeadlineAfter(std::chrono::milliseconds(0)));
  {
    const auto held = budget.Take(100, patient);
    const absl::Status status = budget.Take(7, late).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("7 bytes"), HasSubstr("most 100"),
                      HasSubstr("ClientOptions::max_bytes_in_flight")));
  }
  EXPECT_TRUE(budget.Take(100, late).ok());
}

TEST(ByteBudget, CancelledWhileItWaits) {
  ByteBudget budget(100);
  Call patient = PatientCall();
  const auto held = budget.Take(100, patient);
  int asked = 0;
  Call call = PatientCall([&] { return ++asked > 2; });
  EXPECT_EQ(budget.Take(1, call).status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(call.Cancelled());
}

// A waiting thread asks its `cancelled`, which is how the test knows of it.
TEST(ByteBudget, WaitersGoInTheOrderInWhichTheyCame) {
  ByteBudget budget(100);
  Call patient = PatientCall();
  std::optional<absl::StatusOr<ByteBudget::Hold>> held =
      budget.Take(50, patient);
  ASSERT_TRUE(held->ok());
  std::vector<int> order;  // written by one at a time: each takes all
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    Gate waiting;
    threads.emplace_back([&, i, waiting]() mutable {
      Call call = PatientCall([&] { return waiting.Open(), false; });
      const auto hold = budget.Take(100, call);
      EXPECT_TRUE(hold.ok()) << hold.status();
      order.push_back(i);
    });
    EXPECT_TRUE(waiting.Wait());
  }
  // It would fit, but it came last.
  Call late({}, DeadlineAfter(std::chrono::milliseconds(0)));
  EXPECT_EQ(budget.Take(1, late).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  held.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST(ByteBudget, ManyThreadsNeverHoldMore) {
  constexpr int kThreads = 8;
  constexpr int kCalls = 500;
  ByteBudget budget(100);
  std::atomic<int> held = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const int bytes = 10 + 10 * t;
      for (int i = 0; i < kCalls; ++i) {
        Call call = PatientCall();
        const auto hold = budget.Take(static_cast<std::uint64_t>(bytes), call);
        EXPECT_TRUE(hold.ok()) << hold.status();
        EXPECT_LE(held += bytes, 100);
        held -= bytes;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace posenc
