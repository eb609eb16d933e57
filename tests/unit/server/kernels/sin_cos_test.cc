#include "server/kernels/sin_cos.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "server/kernels/kernels.h"
#include "tests/unit/server/kernels/all_targets.h"

namespace posenc::server {
namespace {

using testing::AllTargets;

class SinCosKernel : public ::testing::TestWithParam<std::string> {
 protected:
  const Kernels& kernels_ = *KernelsFor(GetParam());
};

// From 2e5 turns a position down to 1e-38, as the least base and the largest
// have them, with a last part each.
std::vector<DoubleDouble> Turns(std::size_t n) {
  std::vector<DoubleDouble> turns;
  double hi = 2e5;
  for (std::size_t i = 0; i < n; ++i) {
    turns.push_back({hi, hi * 0x1p-54 * std::sin(static_cast<double>(i))});
    hi *= 0.83;
  }
  return turns;
}

TEST_P(SinCosKernel, EqualsThePlainCode) {
  for (const double position :
       {0.0, -0.0, 1.0, -1.0, 0.5, 255.0, 12345.678, -1e9, 9007199254740992.0,
        0.25 / 2e5, -0.5 / 2e5}) {
    for (std::size_t n = 0; n <= 530; n += n < 20 ? 1 : 17) {
      const std::vector<DoubleDouble> turns = Turns(n);
      std::vector<double> sin(n), cos(n);
      kernels_.sin_cos_of_turns({position, position * 0x1p-55}, turns.data(),
                                sin.data(), cos.data(), n);
      for (std::size_t i = 0; i < n; ++i) {
        const SinCos expected =
            SinCosOfTurns({position, position * 0x1p-55}, turns[i]);
        ASSERT_EQ(sin[i], expected.sin) << position << ", " << i;
        ASSERT_EQ(cos[i], expected.cos) << position << ", " << i;
        ASSERT_EQ(std::signbit(sin[i]), std::signbit(expected.sin));
        ASSERT_EQ(std::signbit(cos[i]), std::signbit(expected.cos));
      }
    }
  }
}

TEST_P(SinCosKernel, IsExactAtQuarterTurns) {
  const std::vector<DoubleDouble> turns(9, {0.25, 0});
  const double sines[] = {0, 1, 0, -1};
  for (int quarter = -8; quarter <= 8; ++quarter) {
    std::vector<double> sin(turns.size()), cos(turns.size());
    kernels_.sin_cos_of_turns({static_cast<double>(quarter), 0}, turns.data(),
                              sin.data(), cos.data(), turns.size());
    EXPECT_EQ(sin, std::vector<double>(turns.size(), sines[quarter & 3]));
    EXPECT_EQ(cos, std::vector<double>(turns.size(), sines[(quarter + 1) & 3]));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, SinCosKernel,
                         ::testing::ValuesIn(AllTargets()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace posenc::server
