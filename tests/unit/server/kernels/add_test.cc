#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
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
using testing::StoreElement;

// Rounding its bits up as if it were a number would carry into the sign.
constexpr double kFullNaN =
    std::bit_cast<double>(std::uint64_t{0x7FFFFFFFFFFFFFFF});

// Zeros, subnormals, the edges of every type's range and ties between values.
std::vector<double> SpecialValues() {
  std::vector<double> values = {0.0,
                                1.0,
                                0x1p-24,
                                0x1p-25,
                                0x1.8p-25,
                                0x1p-14,
                                65504.0,
                                65519.999,
                                65520.0,
                                65536.0,
                                0x1p-126,
                                0x1p-133,
                                0x1p-134,
                                0x1p-149,
                                0x1p-150,
                                0x1p-1074,
                                0x1p-1022,
                                3.3895e38,
                                3.4e38,
                                3.41e38,
                                1e39,
                                1e300,
                                1.7e308,
                                1.0 + 0x1p-11,
                                0x1p1023,
                                0x1p-40,
                                1.0 + 0x1p-8,
                                0x1.ffep-15,
                                0x1.fffp-15,
                                std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN(),
                                kFullNaN,
                                0x1.fefffp127,
                                0x1.ff8p127,
                                1.0 + 0x1p-11 + 0x1p-40,
                                1.0 + 0x1p-24,
                                1.0 + 0x1p-24 + 0x1p-50,
                                1.0 + 0x1p-8 + 0x1p-40};
  const std::size_t positive = values.size();
  for (std::size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  return values;
}

// Finite doubles of every size from 2^-160 to 2^140.
double AnySize(std::mt19937_64& random) {
  std::uniform_real_distribution<double> significand(-2, 2);
  std::uniform_int_distribution<int> exponent(-160, 140);
  return std::ldexp(significand(random), exponent(random));
}

class AddKernel
    : public ::testing::TestWithParam<std::tuple<std::string, DType, DType>> {
 protected:
  const std::string target_ = std::get<0>(GetParam());
  const DType in_ = std::get<1>(GetParam());
  const DType out_ = std::get<2>(GetParam());
  const AddFunction add_ = KernelsFor(target_)->Add(in_, out_);
  const AddFunction reference_ = ReferenceKernels().Add(in_, out_);
  std::mt19937_64 random_{20240607};

  // Runs the kernel on `in` and `encoding` that end `gap` bytes before a page
  // that can't be touched, and compares with the reference.
  void CheckAgainstReference(const std::vector<double>& in,
                             const std::vector<double>& encoding, double scale,
                             std::size_t gap) {
    const std::size_t n = in.size();
    GuardedBuffer in_buffer(n * SizeOf(in_), gap);
    GuardedBuffer encoding_buffer(n * sizeof(double), gap);
    GuardedBuffer out_buffer(n * SizeOf(out_), gap);
    for (std::size_t i = 0; i < n; ++i) {
      StoreElement(in_, in[i], in_buffer.data() + i * SizeOf(in_));
    }
    const auto encoding_bytes = std::as_bytes(std::span(encoding));
    std::copy(encoding_bytes.begin(), encoding_bytes.end(),
              encoding_buffer.data());
    const auto* encodings =
        reinterpret_cast<const double*>(encoding_buffer.data());

    std::vector<std::byte> expected(n * SizeOf(out_));
    reference_(in_buffer.data(), encodings, scale, expected.data(), n);
    add_(in_buffer.data(), encodings, scale, out_buffer.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = i * SizeOf(out_);
      ASSERT_TRUE(SameElement(out_, out_buffer.data() + at, &expected[at]))
          << scale << " * " << in[i] << " + " << encoding[i] << " gives "
          << LoadElement(out_, out_buffer.data() + at) << " but is "
          << LoadElement(out_, &expected[at]) << "; " << i << " of " << n;
    }
    ASSERT_TRUE(out_buffer.Intact()) << n << " elements";
    ASSERT_TRUE(in_buffer.Intact());
  }
};

TEST_P(AddKernel, EqualsTheReferenceAtEveryLengthAndAlignment) {
  for (std::size_t n = 0; n <= 130; ++n) {
    std::vector<double> in(n);
    std::vector<double> encoding(n);
    std::uniform_real_distribution<double> value(-2, 2);
    for (double& x : in) x = value(random_);
    for (double& x : encoding) x = value(random_);
    for (const std::size_t gap : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 16u}) {
      CheckAgainstReference(in, encoding, std::sqrt(768.0), gap);
    }
  }
}

TEST_P(AddKernel, EqualsTheReferenceForSpecialValues) {
  const std::vector<double> special = SpecialValues();
  std::vector<double> in;
  std::vector<double> encoding;
  for (const double a : special) {
    for (const double b : special) {
      in.push_back(a);
      encoding.push_back(b);
    }
  }
  for (const double scale : {1.0, -1.0, 0.0, 0.5, 1e300, 0x1p-1070}) {
    CheckAgainstReference(in, encoding, scale, 0);
  }
}

TEST_P(AddKernel, EqualsTheReferenceForValuesOfEverySize) {
  constexpr std::size_t kCount = 20000;
  std::vector<double> in(kCount);
  std::vector<double> encoding(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    in[i] = AnySize(random_);
    // Alone, of the same size, and almost cancelled.
    encoding[i] = i % 3 == 0   ? -0.0
                  : i % 3 == 1 ? AnySize(random_)
                               : -in[i] * (1 + 0x1p-9);
  }
  CheckAgainstReference(in, encoding, 1.0, 0);
  CheckAgainstReference(in, encoding, 1.1, 0);
}

// Ties between neighbours of both 16-bit types, every `step`th, and the doubles
// beside them.
std::vector<double> Ties(std::uint32_t step) {
  std::vector<double> ties;
  for (std::uint32_t bits = 0; bits < 0x7F80; bits += step) {
    const auto next = static_cast<std::uint16_t>(bits + 1);
    for (double (*widen)(std::uint16_t) : {&F16ToDouble, &BF16ToDouble}) {
      const double low = widen(static_cast<std::uint16_t>(bits));
      const double middle = (low + widen(next)) / 2;
      if (!std::isfinite(middle)) continue;
      ties.push_back(middle);
      ties.push_back(-std::nextafter(middle, 0.0));
      ties.push_back(
          std::nextafter(middle, std::numeric_limits<double>::infinity()));
    }
  }
  return ties;
}

TEST_P(AddKernel, EqualsTheReferenceForTiesOfTheOutput) {
  const std::vector<double> ties = Ties(3);
  CheckAgainstReference(std::vector<double>(ties.size(), 0.0), ties, 1.0, 0);
}

// Kernels may tell for a block of elements at a time whether it is a hard one;
// here a single element makes it so.
TEST_P(AddKernel, EqualsTheReferenceForOneHardValueAmongEasyOnes) {
  constexpr std::size_t kSpacing = 61;  // a block or less, at any place in it
  constexpr double kEasy = 1.0;
  std::vector<double> hard = Ties(41);
  for (const double value : SpecialValues()) hard.push_back(value);
  std::vector<double> encoding(hard.size() * kSpacing, kEasy);
  for (std::size_t i = 0; i < hard.size(); ++i)
    encoding[i * kSpacing] = hard[i];
  const std::vector<double> in(encoding.size(), 0.0);
  CheckAgainstReference(in, encoding, 1.0, 0);
  CheckAgainstReference(in, encoding, 2.0, 0);
}

// All of them for the 16-bit types; for wider ones every sign, exponent and
// head of a fraction.
TEST_P(AddKernel, ReadsEveryUpperHalfOfAnElement) {
  constexpr std::size_t kPatterns = 65536;
  const std::size_t size = SizeOf(in_);
  std::vector<std::byte> in(kPatterns * size);
  for (std::size_t i = 0; i < kPatterns; ++i) {
    const std::uint64_t bits = i << (8 * size - 16);
    std::memcpy(&in[i * size], &bits, size);
  }
  const std::vector<double> encoding(kPatterns, -0.0);
  std::vector<std::byte> out(kPatterns * SizeOf(out_));
  std::vector<std::byte> expected(out.size());
  add_(in.data(), encoding.data(), 1.0, out.data(), kPatterns);
  reference_(in.data(), encoding.data(), 1.0, expected.data(), kPatterns);
  for (std::size_t i = 0; i < kPatterns; ++i) {
    const std::size_t at = i * SizeOf(out_);
    ASSERT_TRUE(SameElement(out_, &out[at], &expected[at])) << i;
  }
}

// --- Against arithmetic that is not the kernels' ---------------------------

__extension__ using Quad = __float128;

// Fraction bits and the smallest normal exponent of a type.
struct Precision {
  int fraction;
  int min_exponent;
};

Precision PrecisionOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {10, -14};
    case DType::kBFloat16:
      return {7, -126};
    case DType::kFloat32:
      return {23, -126};
    default:
      return {52, -1022};
  }
}

// The nearest multiple of the type's last place, ties to even.
double RoundedTo(DType dtype, double value) {
  const auto [fraction, min_exponent] = PrecisionOf(dtype);
  if (value == 0) return value;
  const int exponent = std::max(std::ilogb(value), min_exponent);
  const double units = std::ldexp(value, fraction - exponent);
  return std::ldexp(std::nearbyint(units), exponent - fraction);
}

TEST_P(AddKernel, RoundsProductAndSumToDoubleAndOnceToTheOutput) {
  constexpr std::size_t kCount = 5000;
  const double scale = std::sqrt(512.0);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> drawn(kCount);
  std::vector<double> encoding(kCount);
  for (double& x : drawn) x = value(random_);
  for (double& x : encoding) x = value(random_);
  const std::vector<std::byte> in = testing::Elements(in_, drawn);
  std::vector<std::byte> out(kCount * SizeOf(out_));
  add_(in.data(), encoding.data(), scale, out.data(), kCount);

  for (std::size_t i = 0; i < kCount; ++i) {
    const double element = LoadElement(in_, &in[i * SizeOf(in_)]);
    // Both are exact in 113 bits, so that each is rounded to double once.
    const auto product =
        static_cast<double>(static_cast<Quad>(scale) * element);
    const auto sum =
        static_cast<double>(static_cast<Quad>(product) + encoding[i]);
    ASSERT_EQ(LoadElement(out_, &out[i * SizeOf(out_)]), RoundedTo(out_, sum))
        << scale << " * " << element << " + " << encoding[i];
  }
}

using Conversion = std::pair<DType, DType>;

std::string NameOf(const std::tuple<std::string, DType, DType>& param) {
  const auto& [target, in, out] = param;
  return target + "_" + std::string(Name(in)) + "_" + std::string(Name(out));
}

std::string NameOf(const std::tuple<std::string, Conversion>& param) {
  const auto& [target, conversion] = param;
  return NameOf({target, conversion.first, conversion.second});
}

// --- In place ---------------------------------------------------------------

class AddKernelInPlace
    : public ::testing::TestWithParam<std::tuple<std::string, Conversion>> {};

TEST_P(AddKernelInPlace, GivesWhatItGivesElsewhere) {
  const auto& [target, conversion] = GetParam();
  const auto [in_type, out_type] = conversion;
  const AddFunction add = KernelsFor(target)->Add(in_type, out_type);
  const AddFunction reference = ReferenceKernels().Add(in_type, out_type);
  const std::size_t size = SizeOf(in_type);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> value(-2, 2);
  for (std::size_t n = 0; n <= 300; ++n) {
    std::vector<double> drawn(n), encoding(n);
    for (double& x : drawn) x = value(random);
    for (double& x : encoding) x = value(random);
    // A tie of either 16-bit type, as in some blocks only.
    for (std::size_t i = n % 100; i < n; i += 100) {
      drawn[i] = 1;
      encoding[i] = i % 2 == 0 ? 0x1p-8 : 0x1p-11;
    }
    const std::vector<std::byte> in = testing::Elements(in_type, drawn);
    for (const double scale : {1.0, 1.1}) {
      std::vector<std::byte> expected(n * size);
      reference(in.data(), encoding.data(), scale, expected.data(), n);
      GuardedBuffer buffer(n * size, n % 9);
      std::copy(in.begin(), in.end(), buffer.data());
      add(buffer.data(), encoding.data(), scale, buffer.data(), n);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(SameElement(out_type, buffer.data() + i * size,
                                &expected[i * size]))
            << i << " of " << n;
      }
      ASSERT_TRUE(buffer.Intact()) << n;
    }
  }
}

std::vector<Conversion> ConversionsThatKeepTheSize() {
  std::vector<Conversion> conversions;
  for (const DType in : kFloats) {
    for (const DType out : kFloats) {
      if (SizeOf(in) == SizeOf(out)) conversions.emplace_back(in, out);
    }
  }
  return conversions;
}

INSTANTIATE_TEST_SUITE_P(
    Targets, AddKernelInPlace,
    ::testing::Combine(::testing::ValuesIn(AllTargets()),
                       ::testing::ValuesIn(ConversionsThatKeepTheSize())),
    [](const auto& test) { return NameOf(test.param); });

INSTANTIATE_TEST_SUITE_P(Targets, AddKernel,
                         ::testing::Combine(::testing::ValuesIn(AllTargets()),
                                            ::testing::ValuesIn(kFloats),
                                            ::testing::ValuesIn(kFloats)),
                         [](const auto& test) { return NameOf(test.param); });

}  // namespace
}  // namespace posenc::server
