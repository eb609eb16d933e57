#include "server/devices/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/kernels/kernels.h"

namespace posenc::server {
namespace {

using ::testing::HasSubstr;

TEST(MakeDevice, MakesTheCpuWithTheKernelsInUse) {
  WorkerPool workers(1);
  const auto device = MakeDevice("cpu", 1 << 20, workers);
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ((*device)->name(), "cpu");
  EXPECT_EQ((*device)->description(),
            "cpu, " + std::string(ActiveKernels().target));
}

TEST(MakeDevice, RefusesAnUnknownNameAndListsTheKnown) {
  WorkerPool workers(1);
  const absl::Status status = MakeDevice("abacus", 1 << 20, workers).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("\"abacus\""));
  EXPECT_THAT(std::string(status.message()), HasSubstr("known are cpu"));
}

}  // namespace
}  // namespace posenc::server
