#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "server/kernels/kernels.h"
#include "tests/support/elements.h"
#include "tests/unit/server/kernels/all_targets.h"
#include "tests/unit/server/kernels/guarded_buffer.h"

namespace posenc::server {
namespace {

using testing::AllTargets;
using testing::GuardedBuffer;
using testing::LoadElement;

// n pairs of angles, with their sines and cosines as doubles.
struct Angles {
  explicit Angles(std::size_t n) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> angle(-4, 4);
    for (std::size_t i = 0; i < n; ++i) {
      a.push_back(angle(random));
      b.push_back(angle(random));
      sin_a.push_back(std::sin(a[i]));
      cos_a.push_back(std::cos(a[i]));
      sin_b.push_back(std::sin(b[i]));
      cos_b.push_back(std::cos(b[i]));
    }
  }

  void Rotate(RotateFunction rotate, double* out_sin, double* out_cos,
              std::size_t stride) const {
    rotate(sin_a.data(), cos_a.data(), sin_b.data(), cos_b.data(), out_sin,
           out_cos, stride, a.size());
  }

  std::vector<double> a, b, sin_a, cos_a, sin_b, cos_b;
};

// Enough for 70 pairs of a stride of 3.
struct AlignedDoubles {
  explicit AlignedDoubles(double value) { values.fill(value); }
  double& operator[](std::size_t i) { return values[i]; }
  bool operator==(const AlignedDoubles&) const = default;
  alignas(64) std::array<double, 256> values;
};

class RotateKernel : public ::testing::TestWithParam<std::string> {
 protected:
  const Kernels& kernels_ = *KernelsFor(GetParam());
};

TEST_P(RotateKernel, EqualsTheReferenceWhenDense) {
  for (std::size_t n = 0; n <= 130; ++n) {
    const Angles angles(n);
    std::vector<double> sin(n), cos(n), expected_sin(n), expected_cos(n);
    angles.Rotate(ReferenceKernels().rotate, expected_sin.data(),
                  expected_cos.data(), 1);
    angles.Rotate(kernels_.rotate, sin.data(), cos.data(), 1);
    ASSERT_EQ(sin, expected_sin) << n;
    ASSERT_EQ(cos, expected_cos) << n;
  }
}

TEST_P(RotateKernel, EqualsTheReferenceWhenInterleaved) {
  for (std::size_t n = 1; n <= 130; ++n) {
    const Angles angles(n);
    std::vector<double> expected(2 * n);
    angles.Rotate(ReferenceKernels().rotate, expected.data(),
                  expected.data() + 1, 2);
    GuardedBuffer out(2 * n * sizeof(double), 0);
    auto* pairs = reinterpret_cast<double*>(out.data());
    angles.Rotate(kernels_.rotate, pairs, pairs + 1, 2);
    ASSERT_EQ(std::vector<double>(pairs, pairs + 2 * n), expected) << n;
    ASSERT_TRUE(out.Intact()) << n;
  }
}

// At addresses that suit streaming and at ones that do not.
TEST_P(RotateKernel, StreamsTheSameBits) {
  constexpr double kUntouched = 5;
  for (std::size_t n = 1; n <= 70; ++n) {
    const Angles angles(n);
    for (const std::size_t offset : {0, 1, 2, 4, 8}) {
      for (const std::size_t stride : {1, 2, 3}) {
        // Sines and cosines in turns, or n of one and then n of the other.
        const std::size_t cos_at = offset + (stride == 1 ? 128 : 1);
        AlignedDoubles expected(kUntouched), out(kUntouched);
        angles.Rotate(kernels_.rotate, &expected[offset], &expected[cos_at],
                      stride);
        angles.Rotate(kernels_.rotate_streaming, &out[offset], &out[cos_at],
                      stride);
        FinishStreaming();
        ASSERT_EQ(out, expected) << n << " at " << offset << ", " << stride;
      }
    }
  }
}

TEST_P(RotateKernel, ReadsAndWritesNothingPastTheEnd) {
  for (std::size_t n = 0; n <= 40; ++n) {
    const Angles angles(n);
    const std::size_t bytes = n * sizeof(double);
    std::vector<double> expected_sin(n), expected_cos(n);
    angles.Rotate(ReferenceKernels().rotate, expected_sin.data(),
                  expected_cos.data(), 1);
    GuardedBuffer in(bytes, 3), sin(bytes, 1), cos(bytes, 0);
    if (n > 0) {
      std::memcpy(in.data(), static_cast<const void*>(angles.sin_a.data()),
                  bytes);
    }
    kernels_.rotate(reinterpret_cast<const double*>(in.data()),
                    angles.cos_a.data(), angles.sin_b.data(),
                    angles.cos_b.data(), reinterpret_cast<double*>(sin.data()),
                    reinterpret_cast<double*>(cos.data()), 1, n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = i * sizeof(double);
      ASSERT_EQ(LoadElement(DType::kFloat64, sin.data() + at), expected_sin[i]);
      ASSERT_EQ(LoadElement(DType::kFloat64, cos.data() + at), expected_cos[i]);
    }
    ASSERT_TRUE(sin.Intact());
    ASSERT_TRUE(cos.Intact());
  }
}

TEST_P(RotateKernel, WritesEveryOtherElementOnly) {
  constexpr std::size_t kAngles = 37;
  constexpr double kUntouched = 5;
  const Angles angles(kAngles);
  std::vector<double> expected_sin(kAngles), expected_cos(kAngles);
  angles.Rotate(ReferenceKernels().rotate, expected_sin.data(),
                expected_cos.data(), 1);
  std::vector<double> sin(2 * kAngles, kUntouched);
  std::vector<double> cos(2 * kAngles, kUntouched);
  angles.Rotate(kernels_.rotate, sin.data(), cos.data(), 2);
  for (std::size_t i = 0; i < kAngles; ++i) {
    EXPECT_EQ(sin[2 * i], expected_sin[i]);
    EXPECT_EQ(cos[2 * i], expected_cos[i]);
    EXPECT_EQ(sin[2 * i + 1], kUntouched);
    EXPECT_EQ(cos[2 * i + 1], kUntouched);
  }
}

// Half a unit from each of four inputs, two products and a sum of numbers of
// at most one: under 4e-16.
TEST_P(RotateKernel, IsTheAngleSumInHigherPrecision) {
  const Angles angles(2000);
  std::vector<double> sin(2000), cos(2000);
  angles.Rotate(kernels_.rotate, sin.data(), cos.data(), 1);
  for (std::size_t i = 0; i < sin.size(); ++i) {
    const long double sum = static_cast<long double>(angles.a[i]) + angles.b[i];
    ASSERT_NEAR(static_cast<double>(sin[i] - std::sin(sum)), 0, 4e-16);
    ASSERT_NEAR(static_cast<double>(cos[i] - std::cos(sum)), 0, 4e-16);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, RotateKernel,
                         ::testing::ValuesIn(AllTargets()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace posenc::server
