#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "server/base/dtype.h"
#include "server/kernels/kernels.h"
#include "tests/support/elements.h"
#include "tests/unit/server/kernels/all_targets.h"
#include "tests/unit/server/kernels/guarded_buffer.h"

namespace posenc::server {
namespace {

using testing::AllTargets;
using testing::GuardedBuffer;
using testing::kFloats;
using testing::LoadElement;
using testing::SameElement;

constexpr Pairing kBothPairings[] = {Pairing::kAdjacent, Pairing::kHalves};

class RotatePairsKernel
    : public ::testing::TestWithParam<std::tuple<std::string, DType, DType>> {
 protected:
  const Kernels& kernels_ = *KernelsFor(std::get<0>(GetParam()));
  const DType in_ = std::get<1>(GetParam());
  const DType out_ = std::get<2>(GetParam());
  std::mt19937_64 random_{5};

  std::vector<double> Draw(std::size_t n) {
    std::uniform_real_distribution<double> value(-2, 2);
    std::vector<double> drawn(n);
    for (double& x : drawn) x = value(random_);
    return drawn;
  }

  // Runs the kernel on buffers that end `gap` bytes before a page that can't be
  // touched, and compares with the reference; in place too where it fits.
  void CheckAgainstReference(const std::vector<double>& values,
                             const std::vector<double>& encoding,
                             const PairRows& rows, std::size_t gap) {
    const std::vector<std::byte> elements = testing::Elements(in_, values);
    GuardedBuffer in(elements.size(), gap);
    std::copy(elements.begin(), elements.end(), in.data());
    GuardedBuffer angles(encoding.size() * sizeof(double), gap);
    if (!encoding.empty()) {
      std::memcpy(angles.data(), static_cast<const void*>(encoding.data()),
                  encoding.size() * sizeof(double));
    }
    const auto* encodings = reinterpret_cast<const double*>(angles.data());
    for (const Pairing pairing : kBothPairings) {
      std::vector<std::byte> expected(values.size() * SizeOf(out_));
      ReferenceKernels().RotatePairs(pairing, in_, out_)(in.data(), encodings,
                                                         rows, expected.data());
      const RotatePairsFunction rotate =
          kernels_.RotatePairs(pairing, in_, out_);
      GuardedBuffer out(expected.size(), gap);
      rotate(in.data(), encodings, rows, out.data());
      Compare(out, expected, rows, pairing);
      if (SizeOf(in_) != SizeOf(out_)) continue;
      GuardedBuffer place(elements.size(), gap);
      std::copy(elements.begin(), elements.end(), place.data());
      rotate(place.data(), encodings, rows, place.data());
      Compare(place, expected, rows, pairing);
    }
    ASSERT_TRUE(in.Intact());
  }

 private:
  void Compare(const GuardedBuffer& out, const std::vector<std::byte>& expected,
               const PairRows& rows, Pairing pairing) {
    const std::size_t size = SizeOf(out_);
    for (std::size_t at = 0; at < expected.size(); at += size) {
      ASSERT_TRUE(SameElement(out_, out.data() + at, &expected[at]))
          << LoadElement(out_, out.data() + at) << " but is "
          << LoadElement(out_, &expected[at]) << ", element " << at / size
          << " of rows of " << rows.width << " with " << rows.pairs
          << " pairs, pairing " << static_cast<int>(pairing);
    }
    ASSERT_TRUE(out.Intact()) << rows.width;
  }
};

TEST_P(RotatePairsKernel, EqualsTheReferenceForEveryNumberOfPairs) {
  for (std::size_t pairs = 0; pairs <= 67; ++pairs) {
    for (const std::size_t rest : {0u, 1u, 6u, 33u}) {
      const std::size_t width = 2 * pairs + rest;
      for (const double scale : {1.0, std::sqrt(768.0)}) {
        CheckAgainstReference(Draw(3 * width), Draw(3 * 2 * pairs),
                              {.rows = 3,
                               .width = width,
                               .pairs = pairs,
                               .encoding_stride = 2 * pairs,
                               .scale = scale},
                              (pairs + rest) % 9);
      }
    }
  }
}

TEST_P(RotatePairsKernel, RowsMayShareAnEncoding) {
  for (const std::size_t pairs : {3u, 32u, 37u, 64u}) {
    CheckAgainstReference(Draw(7 * 2 * pairs), Draw(2 * pairs),
                          {.rows = 7, .width = 2 * pairs, .pairs = pairs}, 0);
  }
}

// So many elements that memory is asked for ahead.
TEST_P(RotatePairsKernel, EqualsTheReferenceForManyRows) {
  CheckAgainstReference(
      Draw(70 * 64), Draw(70 * 64),
      {.rows = 70, .width = 64, .pairs = 32, .encoding_stride = 64}, 0);
}

// Ties, subnormals, infinities and NaN in some of the blocks.
TEST_P(RotatePairsKernel, EqualsTheReferenceForSpecialValues) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> special = {
      0.0,      -0.0,      1.0 + 0x1p-8, 1.0 + 0x1p-11, -1.0 - 0x1p-24,
      0x1p-15,  0x1.8p-25, 0x1p-134,     65520.0,       3.4e38,
      infinity, -infinity, std::nan("")};
  constexpr std::size_t kPairs = 67;
  constexpr std::size_t kWidth = 2 * kPairs + 5;
  for (std::size_t i = 0; i < kWidth; ++i) {
    std::vector<double> values = Draw(kWidth);
    std::vector<double> encoding = Draw(2 * kPairs);
    values[i] = special[i % special.size()];
    // Not turned, or turned by a quarter.
    encoding[i % kPairs] = i % 2 == 0 ? 1 : 0;
    encoding[kPairs + i % kPairs] = i % 2 == 0 ? 0 : 1;
    encoding[(i * 5) % (2 * kPairs)] = special[i % 4];
    CheckAgainstReference(values, encoding,
                          {.rows = 1, .width = kWidth, .pairs = kPairs}, 0);
  }
}

// The pairs that the encoding's channels belong to, against arithmetic that
// rounds each step in turn.
TEST_P(RotatePairsKernel, TurnsPairsByTheirAngles) {
  constexpr std::size_t kPairs = 21;
  const std::vector<std::byte> in = testing::Elements(in_, Draw(2 * kPairs));
  const std::vector<double> encoding = Draw(2 * kPairs);
  const double scale = 1.1;
  for (const Pairing pairing : kBothPairings) {
    std::vector<std::byte> out(2 * kPairs * SizeOf(out_));
    kernels_.RotatePairs(pairing, in_, out_)(
        in.data(), encoding.data(),
        {.rows = 1, .width = 2 * kPairs, .pairs = kPairs, .scale = scale},
        out.data());
    for (std::size_t i = 0; i < kPairs; ++i) {
      const bool adjacent = pairing == Pairing::kAdjacent;
      const std::size_t first = adjacent ? 2 * i : i;
      const std::size_t second = adjacent ? 2 * i + 1 : kPairs + i;
      const volatile double a =
          scale * LoadElement(in_, &in[first * SizeOf(in_)]);
      const volatile double b =
          scale * LoadElement(in_, &in[second * SizeOf(in_)]);
      const volatile double ac = a * encoding[i];
      const volatile double bs = b * encoding[kPairs + i];
      const volatile double as = a * encoding[kPairs + i];
      const volatile double bc = b * encoding[i];
      std::byte expected[8];
      testing::StoreElement(out_, ac - bs, expected);
      EXPECT_TRUE(SameElement(out_, &out[first * SizeOf(out_)], expected));
      testing::StoreElement(out_, as + bc, expected);
      EXPECT_TRUE(SameElement(out_, &out[second * SizeOf(out_)], expected));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, RotatePairsKernel,
                         ::testing::Combine(::testing::ValuesIn(AllTargets()),
                                            ::testing::ValuesIn(kFloats),
                                            ::testing::ValuesIn(kFloats)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" +
                                  std::string(Name(std::get<1>(test.param))) +
                                  "_" +
                                  std::string(Name(std::get<2>(test.param)));
                         });

}  // namespace
}  // namespace posenc::server
