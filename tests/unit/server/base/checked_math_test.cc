#include "server/base/checked_math.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace posenc::server {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(CheckedMath, MultipliesUpToTheEdge) {
  EXPECT_EQ(CheckedMultiply(0, kMax), 0u);
  EXPECT_EQ(CheckedMultiply(1, kMax), kMax);
  EXPECT_EQ(
      CheckedMultiply(std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 1),
      kMax - ((std::uint64_t{1} << 32) - 1));
  EXPECT_EQ(CheckedMultiply(std::uint64_t{1} << 32, std::uint64_t{1} << 32),
            std::nullopt);
  EXPECT_EQ(CheckedMultiply(kMax, 2), std::nullopt);
}

TEST(CheckedMath, AddsUpToTheEdge) {
  EXPECT_EQ(CheckedAdd(kMax - 1, 1), kMax);
  EXPECT_EQ(CheckedAdd(kMax, 0), kMax);
  EXPECT_EQ(CheckedAdd(kMax, 1), std::nullopt);
}

TEST(CheckedMath, ProductOfNoneIsOne) { EXPECT_EQ(CheckedProduct({}), 1u); }

TEST(CheckedMath, ProductStopsAtAnyOverflow) {
  const std::vector<std::uint64_t> fits = {2, 3, 7};
  EXPECT_EQ(CheckedProduct(fits), 42u);
  const std::vector<std::uint64_t> wraps_to_zero = {std::uint64_t{1} << 32,
                                                    std::uint64_t{1} << 32, 1};
  EXPECT_EQ(CheckedProduct(wraps_to_zero), std::nullopt);
  const std::vector<std::uint64_t> zero_comes_too_late = {kMax, 2, 0};
  EXPECT_EQ(CheckedProduct(zero_comes_too_late), std::nullopt);
}

}  // namespace
}  // namespace posenc::server
