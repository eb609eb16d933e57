#include "server/core/encodings/exact_angle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/true_values.h"

namespace posenc::server {
namespace {

using ::posenc::testing::Distance;
using ::posenc::testing::HalfUlpOfFloat64;
using ::posenc::testing::TrueCos;
using ::posenc::testing::TrueSin;

// The reduced angle and the polynomials each round about once.
constexpr double kBound = 1.3e-16;

void ExpectExact(double position, double start, double base, std::size_t count,
                 double twice_denominator, double scale = 1) {
  const Frequencies frequencies =
      MakeFrequencies(scale, base, twice_denominator, count);
  std::vector<double> sin(count), cos(count);
  SinCosOfTurns(position, start, frequencies.turns, sin.data(), cos.data());
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_LE(Distance(sin[i], TrueSin(position, start, base, i,
                                       twice_denominator, scale)),
              kBound)
        << "sin at " << position << "+" << start << ", i=" << i;
    EXPECT_LE(Distance(cos[i], TrueCos(position, start, base, i,
                                       twice_denominator, scale)),
              kBound)
        << "cos at " << position << "+" << start << ", i=" << i;
  }
}

TEST(SinCosOfTurns, IsExactFarOut) {
  for (const double position :
       {0.0, 1.0, 2.0, 511.0, 5000.0, 32768.0, 1e6, 1e9, -7.0, -1e9, 0.5,
        1e9 + 0.1, 123456.789, 9007199254740992.0}) {
    ExpectExact(position, 0, 1e4, 32, 64);
  }
}

TEST(SinCosOfTurns, AddsTheStartWithoutRounding) {
  // 0.1 + 1e9 is no double; a rounded sum would be off by up to 6e-8.
  ExpectExact(0.1, 1e9, 1e4, 8, 16);
  ExpectExact(0.1, -1e9, 1e4, 8, 16);
}

TEST(SinCosOfTurns, IsExactForManyPositions) {
  std::mt19937_64 random(20240607);
  std::uniform_real_distribution<double> positions(-1e9, 1e9);
  for (int n = 0; n < 200; ++n) ExpectExact(positions(random), 0, 500, 8, 15);
}

TEST(SinCosOfTurns, IsExactForExtremeBases) {
  for (const double base : {1e-6, 0.5, 1.0, 1e30}) {
    ExpectExact(1e9, 0, base, 16, 32);
  }
}

TEST(SinCosOfTurns, IsExactForExtremeScales) {
  for (const double scale : {1e-6, 1.0 / 3, 1000.0, 1e6}) {
    ExpectExact(1e9, 0, 1e4, 16, 32, scale);
  }
  ExpectExact(1e9, 0, 0.5, 16, 32, 5e5);
}

TEST(SinCosOfTurns, PositionZeroIsSinZeroCosOne) {
  const Frequencies frequencies = MakeFrequencies(1, 1e4, 8, 4);
  std::vector<double> sin(4), cos(4);
  SinCosOfTurns(0, 0, frequencies.turns, sin.data(), cos.data());
  EXPECT_EQ(cos, std::vector<double>(4, 1));
  for (const double value : sin) {
    EXPECT_EQ(value, 0);
    EXPECT_FALSE(std::signbit(value));
  }
}

TEST(MakeFrequencies, GivesTheNearestDoubles) {
  // 1, 0.1, 0.01, 0.001 for d_model 8 (powers of ten, exactly).
  const Frequencies frequencies = MakeFrequencies(1, 1e4, 8, 4);
  EXPECT_EQ(frequencies.radians, (std::vector<double>{1.0, 0.1, 0.01, 0.001}));
  EXPECT_EQ(MakeFrequencies(1000, 1e4, 8, 4).radians,
            (std::vector<double>{1000, 100, 10, 1}));
}

}  // namespace
}  // namespace posenc::server
