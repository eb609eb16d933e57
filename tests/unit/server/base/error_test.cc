#include "server/base/error.h"

#include <gtest/gtest.h>

namespace posenc::server {
namespace {

TEST(Error, CarriesItsReason) {
  const absl::Status status = Error(absl::StatusCode::kOutOfRange,
                                    "POSITION_OVER_CAP", "position 9 of 8");
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(), "position 9 of 8");
  EXPECT_EQ(ReasonOf(status), "POSITION_OVER_CAP");
}

TEST(Error, WithoutAReasonIsNamedByItsCode) {
  EXPECT_EQ(ReasonOf(absl::InvalidArgumentError("no")), "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace posenc::server
