#include "server/devices/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/kernels/kernels.h"

namespace posenc::server {
namespace {

using ::testing::HasSubstr;

TEST(MakeDevice, MakesTheCpuWithTheKernelsInUse) {
  const auto device = MakeDevice("cpu", 1 << 20);
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ((*device)->name(), "cpu");
  EXPECT_EQ((*device)->description(),
            "cpu, " + std::string(ActiveKernels().target));
}

TEST(MakeDevice, RefusesAnUnknownNameAndListsTheKnown) {
  const absl::Status status = MakeDevice("abacus", 1 << 20).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("\"abacus\""));
  EXPECT_THAT(std::string(status.message()), HasSubstr("known are cpu"));
}

}  // namespace
}  // namespace posenc::server
