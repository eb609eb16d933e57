#include "server/core/encodings/sinusoidal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "server/base/limits.h"
#include "tests/support/true_values.h"

namespace posenc::server {
namespace {

using ::posenc::testing::Distance;
using ::posenc::testing::HalfUlpOfFloat64;
using ::posenc::testing::kArithmeticError;
using ::posenc::testing::TrueCos;
using ::posenc::testing::TrueSin;
using ::posenc::testing::TrueValue;

std::vector<double> Row(const Encoding& encoding, double position) {
  std::vector<double> row(encoding.width(), -9);
  const bool integer = std::trunc(position) == position;
  const absl::Status status =
      integer ? encoding.BuildRows(static_cast<std::int64_t>(position), row)
              : encoding.BuildRow(position, row);
  EXPECT_TRUE(status.ok()) << status;
  return row;
}

// D of the four rules, twice (EncodingSpec.denominator in the contract).
double TwiceD(FrequencyDenominator rule, std::uint64_t d) {
  const double half = static_cast<double>(d) / 2;
  double value = half;
  if (rule == FrequencyDenominator::kHalfFloor) value = std::floor(half);
  if (rule == FrequencyDenominator::kHalfFloorMinusOne) {
    value = std::floor(half) - 1;
  }
  if (rule == FrequencyDenominator::kHalfCeil) value = std::ceil(half);
  return value <= 0 ? 2 : 2 * value;
}

// The row as the contract defines it, channel by channel.
std::vector<TrueValue> TrueRow(const EncodingSpec& spec, double position) {
  const std::uint64_t d = spec.d_model;
  const bool zero_last =
      d % 2 == 1 && spec.odd_dimension == OddDimension::kZeroLast;
  const std::uint64_t sines = zero_last ? d / 2 : (d + 1) / 2;
  const std::uint64_t cosines = d / 2;
  const double twice = TwiceD(spec.denominator, d);
  const auto start = static_cast<double>(spec.start);
  std::vector<TrueValue> sin, cos, row;
  for (std::uint64_t i = 0; i < sines; ++i) {
    sin.push_back(
        TrueSin(position, start, spec.base, i, twice, spec.angle_scale));
    if (i < cosines) {
      cos.push_back(
          TrueCos(position, start, spec.base, i, twice, spec.angle_scale));
    }
  }
  if (spec.layout == SinusoidLayout::kInterleaved) {
    for (std::size_t i = 0; i < sines; ++i) {
      row.push_back(sin[i]);
      if (i < cosines) row.push_back(cos[i]);
    }
  } else {
    const bool sin_first = spec.layout == SinusoidLayout::kSinCos;
    row = sin_first ? sin : cos;
    const auto& rest = sin_first ? cos : sin;
    row.insert(row.end(), rest.begin(), rest.end());
  }
  if (zero_last) row.push_back({});
  return row;
}

void ExpectExact(const EncodingSpec& spec, double position) {
  const Sinusoidal encoding(spec);
  const std::vector<double> row = Row(encoding, position);
  const std::vector<TrueValue> truth = TrueRow(spec, position);
  ASSERT_EQ(row.size(), truth.size());
  for (std::size_t c = 0; c < row.size(); ++c) {
    EXPECT_LE(Distance(row[c], truth[c]),
              HalfUlpOfFloat64(truth[c].hi) + kArithmeticError)
        << Sinusoidal::Key(spec) << " position " << position << " channel "
        << c;
  }
}

// The specs of all profiles of that width, those with equal values once.
std::vector<EncodingSpec> DistinctSpecs(std::uint64_t d_model) {
  std::vector<EncodingSpec> specs;
  std::set<std::string> keys;
  for (const Profile& profile : Profiles()) {
    if (profile.spec.kind != EncodingKind::kSinusoidal) continue;
    EncodingSpec spec = profile.spec;
    spec.d_model = d_model;
    if (keys.insert(Sinusoidal::Key(spec)).second) specs.push_back(spec);
  }
  return specs;
}

TEST(Sinusoidal, IsExactForEveryProfileWidthAndPosition) {
  for (const std::uint64_t d :
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 255, 768, 4096}) {
    for (const EncodingSpec& spec : DistinctSpecs(d)) {
      for (const double position :
           {0.0, 1.0, 2.0, 511.0, 5000.0, 32768.0, 1e6, 1e9, -7.0, 0.5}) {
        ExpectExact(spec, position);
      }
    }
  }
}

TEST(Sinusoidal, IsExactAroundChunks) {
  for (const double position : {255.0, 256.0, 257.0, 999999983.0, -1e9}) {
    for (const EncodingSpec& spec : DistinctSpecs(9)) {
      ExpectExact(spec, position);
    }
  }
}

// PE(p + k) is PE(p) turned by k * w_i: what makes relative positions linear.
TEST(Sinusoidal, AStepIsARotation) {
  EncodingSpec spec{.d_model = 64};
  const Sinusoidal encoding(spec);
  const std::vector<double> frequencies = encoding.Frequencies();
  for (const std::int64_t k : {1, -3, 255, 256, 12345}) {
    const std::vector<double> step = Row(encoding, static_cast<double>(k));
    for (const std::int64_t p : {0, 7, -500, 4095, 1000000}) {
      const std::vector<double> from = Row(encoding, static_cast<double>(p));
      const std::vector<double> to = Row(encoding, static_cast<double>(p + k));
      for (std::size_t i = 0; i < from.size(); i += 2) {
        const double sin = from[i] * step[i + 1] + from[i + 1] * step[i];
        const double cos = from[i + 1] * step[i + 1] - from[i] * step[i];
        EXPECT_NEAR(to[i], sin, 4e-15) << "p " << p << " k " << k;
        EXPECT_NEAR(to[i + 1], cos, 4e-15) << "p " << p << " k " << k;
      }
    }
  }
}

// The layouts are orders of the same channels.
TEST(Sinusoidal, LayoutsHoldTheSameValues) {
  for (const std::uint64_t d : {1u, 6u, 7u, 64u}) {
    EncodingSpec spec{.d_model = d};
    const std::uint64_t sines = (d + 1) / 2;
    const std::vector<double> interleaved = Row(Sinusoidal(spec), 1234);
    spec.layout = SinusoidLayout::kSinCos;
    const std::vector<double> sin_cos = Row(Sinusoidal(spec), 1234);
    spec.layout = SinusoidLayout::kCosSin;
    const std::vector<double> cos_sin = Row(Sinusoidal(spec), 1234);
    for (std::uint64_t c = 0; c < d; ++c) {
      const std::uint64_t i = c / 2;
      const bool sine = c % 2 == 0;
      EXPECT_EQ(interleaved[c], sin_cos[sine ? i : sines + i]);
      EXPECT_EQ(interleaved[c], cos_sin[sine ? d / 2 + i : i]);
    }
  }
}

TEST(Sinusoidal, HonoursEveryField) {
  for (const auto layout : {SinusoidLayout::kInterleaved,
                            SinusoidLayout::kSinCos, SinusoidLayout::kCosSin}) {
    for (const auto denominator :
         {FrequencyDenominator::kHalf, FrequencyDenominator::kHalfFloor,
          FrequencyDenominator::kHalfFloorMinusOne,
          FrequencyDenominator::kHalfCeil}) {
      for (const auto odd : {OddDimension::kDropCos, OddDimension::kZeroLast}) {
        for (const std::uint64_t d : {1, 2, 3, 7, 8}) {
          ExpectExact({.d_model = d,
                       .base = 500,
                       .layout = layout,
                       .denominator = denominator,
                       .odd_dimension = odd,
                       .start = 3,
                       .angle_scale = 1.0 / 3},
                      1000);
        }
      }
    }
  }
}

TEST(Sinusoidal, ARowDoesNotDependOnTheRangeItWasBuiltIn) {
  const Sinusoidal encoding({.d_model = 33});
  constexpr std::int64_t kFirst = -300;
  std::vector<double> together(33 * 900);
  ASSERT_TRUE(encoding.BuildRows(kFirst, together).ok());
  for (std::int64_t r = 0; r < 900; r += 7) {
    const std::vector<double> alone =
        Row(encoding, static_cast<double>(kFirst + r));
    EXPECT_EQ(std::memcmp(alone.data(), together.data() + r * 33,
                          33 * sizeof(double)),
              0)
        << "position " << kFirst + r;
  }
}

TEST(Sinusoidal, StreamedRowsAreTheSame) {
  for (const std::uint64_t d : {1, 2, 7, 8, 33, 64, 100}) {
    for (const auto layout :
         {SinusoidLayout::kInterleaved, SinusoidLayout::kSinCos,
          SinusoidLayout::kCosSin}) {
      const Sinusoidal encoding(
          {.d_model = d,
           .layout = layout,
           .odd_dimension =
               d % 2 == 0 ? OddDimension::kReject : OddDimension::kDropCos});
      std::vector<double> built(d * 300), streamed(d * 300);
      ASSERT_TRUE(encoding.BuildRows(-20, built).ok());
      ASSERT_TRUE(encoding.StreamRows(-20, streamed).ok());
      EXPECT_EQ(built, streamed) << Sinusoidal::Key({.d_model = d});
    }
  }
}

TEST(Sinusoidal, EqualValuesHaveEqualKeys) {
  const auto key = [](EncodingSpec spec) { return Sinusoidal::Key(spec); };
  // What an even d_model cannot tell apart.
  EXPECT_EQ(key({.d_model = 8, .odd_dimension = OddDimension::kReject}),
            key({.d_model = 8, .odd_dimension = OddDimension::kZeroLast}));
  EXPECT_EQ(
      key({.d_model = 8, .denominator = FrequencyDenominator::kHalf}),
      key({.d_model = 8, .denominator = FrequencyDenominator::kHalfCeil}));
  // What does not change rows.
  EXPECT_EQ(key({.d_model = 8, .max_positions = 5}),
            key({.profile = "x",
                 .d_model = 8,
                 .embedding_scale = EmbeddingScale::kSqrtDModel}));
}

TEST(Sinusoidal, DifferentValuesHaveDifferentKeys) {
  const EncodingSpec plain{.d_model = 7};
  const EncodingSpec others[] = {
      {.d_model = 8},
      {.d_model = 7, .base = std::nextafter(1e4, 2e4)},
      {.d_model = 7, .layout = SinusoidLayout::kSinCos},
      {.d_model = 7, .layout = SinusoidLayout::kCosSin},
      {.d_model = 7, .denominator = FrequencyDenominator::kHalfFloor},
      {.d_model = 7, .denominator = FrequencyDenominator::kHalfFloorMinusOne},
      {.d_model = 7, .denominator = FrequencyDenominator::kHalfCeil},
      {.d_model = 7, .odd_dimension = OddDimension::kZeroLast},
      {.d_model = 7, .start = 1}};
  for (const EncodingSpec& other : others) {
    EXPECT_NE(Sinusoidal::Key(plain), Sinusoidal::Key(other));
    EXPECT_NE(Row(Sinusoidal(plain), 5), Row(Sinusoidal(other), 5))
        << Sinusoidal::Key(other);
  }
}

TEST(Sinusoidal, TranslationIsARotation) {
  // PE(p + k) is PE(p) turned by k * w_i, for every pair.
  const Sinusoidal encoding({.d_model = 64});
  const std::vector<double> w = encoding.Frequencies();
  const std::vector<double> from = Row(encoding, 1000);
  const std::vector<double> to = Row(encoding, 1017);
  for (std::size_t i = 0; i < 32; ++i) {
    const double s = std::sin(17 * w[i]);
    const double c = std::cos(17 * w[i]);
    EXPECT_NEAR(to[2 * i], from[2 * i] * c + from[2 * i + 1] * s, 1e-14);
    EXPECT_NEAR(to[2 * i + 1], from[2 * i + 1] * c - from[2 * i] * s, 1e-14);
  }
}

}  // namespace
}  // namespace posenc::server
