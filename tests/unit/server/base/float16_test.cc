#include "server/base/float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace posenc::server {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Type {
  std::string name;
  int exponent_bits;
  int fraction_bits;
  double (*widen)(std::uint16_t);
  std::uint16_t (*narrow)(double);

  std::uint16_t Infinity() const {
    return static_cast<std::uint16_t>(((1 << exponent_bits) - 1)
                                      << fraction_bits);
  }
};

// The value from the definition of the format: fraction * 2^exponent.
double Define(const Type& type, std::uint16_t bits) {
  const int fraction = bits & ((1 << type.fraction_bits) - 1);
  const int exponent = (bits & 0x7FFF) >> type.fraction_bits;
  const int bias = (1 << (type.exponent_bits - 1)) - 1;
  const bool normal = exponent != 0;
  const int significand = fraction + (normal ? 1 << type.fraction_bits : 0);
  const int power = (normal ? exponent : 1) - bias - type.fraction_bits;
  const double magnitude = std::ldexp(significand, power);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

class Float16 : public ::testing::TestWithParam<Type> {};

TEST_P(Float16, EveryFiniteValueIsWhatItsFieldsSay) {
  const Type& type = GetParam();
  for (std::uint32_t i = 0; i <= 0xFFFF; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    if ((bits & 0x7FFF) >= type.Infinity()) continue;
    const double value = type.widen(bits);
    ASSERT_EQ(value, Define(type, bits)) << bits;
    ASSERT_EQ(std::signbit(value), bits >= 0x8000) << bits;
  }
}

TEST_P(Float16, EveryPatternSurvivesTheRoundTrip) {
  const Type& type = GetParam();
  const auto quiet = static_cast<std::uint16_t>(1 << (type.fraction_bits - 1));
  for (std::uint32_t i = 0; i <= 0xFFFF; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    if ((bits & 0x7FFF) > type.Infinity()) {
      ASSERT_TRUE(std::isnan(type.widen(bits))) << bits;
      ASSERT_EQ(type.narrow(type.widen(bits)), bits | quiet) << bits;
    } else {
      ASSERT_EQ(type.narrow(type.widen(bits)), bits) << bits;
    }
  }
}

TEST_P(Float16, RoundsToTheNearestAndTiesToEvenBetweenAllNeighbours) {
  const Type& type = GetParam();
  for (std::uint32_t i = 0; i < type.Infinity(); ++i) {
    const auto low = static_cast<std::uint16_t>(i);
    const auto high = static_cast<std::uint16_t>(i + 1);
    // For the largest value this is the halfway point to the next power of
    // two, from which infinity is the nearest.
    const double middle = (Define(type, low) + Define(type, high)) / 2;
    const std::uint16_t even = (low & 1) == 0 ? low : high;
    ASSERT_EQ(type.narrow(middle), even) << low;
    ASSERT_EQ(type.narrow(std::nextafter(middle, 0.0)), low) << low;
    ASSERT_EQ(type.narrow(std::nextafter(middle, kInfinity)), high) << low;
    ASSERT_EQ(type.narrow(-middle), even | 0x8000) << low;
  }
}

TEST_P(Float16, WhatIsTooLargeIsInfinite) {
  const Type& type = GetParam();
  for (const double large :
       {1e39, std::numeric_limits<double>::max(), kInfinity}) {
    EXPECT_EQ(type.narrow(large), type.Infinity()) << large;
    EXPECT_EQ(type.narrow(-large), type.Infinity() | 0x8000) << large;
  }
  EXPECT_EQ(type.widen(type.Infinity()), kInfinity);
}

TEST_P(Float16, WhatIsTooSmallIsASignedZero) {
  const Type& type = GetParam();
  for (const double small :
       {0.0, 1e-60, std::numeric_limits<double>::denorm_min(),
        std::numeric_limits<double>::min()}) {
    EXPECT_EQ(type.narrow(small), 0) << small;
    EXPECT_EQ(type.narrow(-small), 0x8000) << small;
  }
}

TEST_P(Float16, NaNStaysNaN) {
  const Type& type = GetParam();
  EXPECT_TRUE(std::isnan(type.widen(type.narrow(kNaN))));
  EXPECT_TRUE(std::isnan(type.widen(type.narrow(-kNaN))));
}

INSTANTIATE_TEST_SUITE_P(
    Types, Float16,
    ::testing::Values(Type{"F16", 5, 10, &F16ToDouble, &DoubleToF16},
                      Type{"BF16", 8, 7, &BF16ToDouble, &DoubleToBF16}),
    [](const auto& test) { return test.param.name; });

TEST(Float16Values, AreTheKnownOnes) {
  EXPECT_EQ(DoubleToF16(1.0), 0x3C00);
  EXPECT_EQ(DoubleToF16(-2.0), 0xC000);
  EXPECT_EQ(DoubleToF16(65504.0), 0x7BFF);
  EXPECT_EQ(DoubleToF16(65519.99), 0x7BFF);
  EXPECT_EQ(DoubleToF16(65520.0), 0x7C00);
  EXPECT_EQ(DoubleToF16(0x1p-24), 0x0001);
  EXPECT_EQ(DoubleToBF16(1.0), 0x3F80);
  EXPECT_EQ(DoubleToBF16(0x1p-133), 0x0001);
  EXPECT_EQ(DoubleToBF16(3.141592653589793), 0x4049);
}

// Rounding to float on the way would make a tie of it and give 0x3C00.
TEST(Float16Values, AreRoundedOnce) {
  EXPECT_EQ(DoubleToF16(1.0 + 0x1p-11 + 0x1p-40), 0x3C01);
  EXPECT_EQ(DoubleToBF16(1.0 + 0x1p-8 + 0x1p-40), 0x3F81);
}

}  // namespace
}  // namespace posenc::server
