#include "server/transport/drain.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "server/base/error.h"

namespace posenc::server {
namespace {

TEST(Drain, RefusesNewCallsOnceRun) {
  Drain drain;
  { EXPECT_TRUE(DrainGuard(drain).status().ok()); }
  EXPECT_EQ(drain.Run(std::chrono::milliseconds(0)), 0u);
  const DrainGuard late(drain);
  EXPECT_EQ(late.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ReasonOf(late.status()), "DRAINING");
}

TEST(Drain, WaitsForTheCallsUnderWay) {
  Drain drain;
  std::optional<DrainGuard> call(std::in_place, drain);
  std::thread ends([&] { call.reset(); });
  EXPECT_EQ(drain.Run(std::chrono::hours(1)), 0u);
  ends.join();
}

TEST(Drain, CountsTheCallsThatDoNotEnd) {
  Drain drain;
  const DrainGuard one(drain), two(drain);
  EXPECT_EQ(drain.Run(std::chrono::milliseconds(1)), 2u);
}

}  // namespace
}  // namespace posenc::server
