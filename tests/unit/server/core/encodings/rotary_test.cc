#include "server/core/encodings/rotary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/support/true_rotary.h"
#include "tests/support/true_values.h"

namespace posenc::server {
namespace {

using ::posenc::testing::Distance;
using ::posenc::testing::HalfUlpOfFloat64;
using ::posenc::testing::kArithmeticError;
using ::posenc::testing::TruePair;
using ::posenc::testing::TrueRotaryRow;
using ::posenc::testing::TrueValue;

EncodingSpec RotarySpec(SpecFields fields) {
  if (!fields.profile) fields.profile = "llama";
  const auto spec = ResolveSpec(fields, std::nullopt);
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? *spec : EncodingSpec();
}

std::vector<double> RotaryRow(const EncodingSpec& spec, double position) {
  const Rotary encoding(spec);
  std::vector<double> row(encoding.width(), -9);
  const bool integer = std::trunc(position) == position;
  EXPECT_TRUE(
      (integer ? encoding.BuildRows(static_cast<std::int64_t>(position), row)
               : encoding.BuildRow(position, row))
          .ok());
  return row;
}

void ExpectExactPair(double value, TrueValue truth, double attention,
                     const std::string& what) {
  EXPECT_LE(Distance(value, truth),
            HalfUlpOfFloat64(truth.hi) + kArithmeticError * attention)
      << what;
}

void ExpectExactRow(const EncodingSpec& spec, double position) {
  const std::vector<double> row = RotaryRow(spec, position);
  const std::vector<TruePair> truth = TrueRotaryRow(spec, position);
  ASSERT_EQ(row.size(), 2 * truth.size());
  const double attention = std::max(1.0, *Rotary(spec).AttentionFactor());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const std::string what = Rotary::Key(spec) + " position " +
                             std::to_string(position) + " pair " +
                             std::to_string(i);
    ExpectExactPair(row[i], truth[i].cos, attention, what);
    ExpectExactPair(row[truth.size() + i], truth[i].sin, attention, what);
  }
}

// One of each rule, for heads of that size.
std::vector<FrequencyScaling> Scalings(std::uint64_t r) {
  std::vector<double> ones, thirtytwos;
  for (std::uint64_t i = 0; i < r / 2; ++i) {
    ones.push_back(1 + 0.1 * static_cast<double>(i));
    thirtytwos.push_back(1 + 1.7 * static_cast<double>(i));
  }
  std::vector<FrequencyScaling> scalings = {
      {},
      {.rule = FrequencyRule::kLinear, .factor = 3},
      {.rule = FrequencyRule::kYarn, .factor = 4, .original_context = 2048},
      {.rule = FrequencyRule::kYarn,
       .factor = 40,
       .original_context = 4096,
       .truncate = false,
       .mscale = 1,
       .mscale_all_dim = 0.7},
      {.rule = FrequencyRule::kLlama3,
       .factor = 8,
       .original_context = 8192,
       .low_frequency_factor = 1,
       .high_frequency_factor = 4},
      {.rule = FrequencyRule::kLongrope,
       .factor = 32,
       .original_context = 4096,
       .context_length = 4096,
       .short_factors = ones,
       .long_factors = thirtytwos},
      {.rule = FrequencyRule::kLongrope,
       .original_context = 4096,
       .context_length = 4097,
       .short_factors = ones,
       .long_factors = thirtytwos},
      {.rule = FrequencyRule::kProportional, .factor = 8}};
  if (r >= 4) {
    scalings.push_back({.rule = FrequencyRule::kNtk, .factor = 4});
    scalings.push_back({.rule = FrequencyRule::kDynamicNtk,
                        .factor = 2,
                        .original_context = 2048,
                        .context_length = 8192});
  }
  return scalings;
}

// One of each rule and the specs of all profiles, those with equal values once.
std::vector<EncodingSpec> DistinctRotarySpecs(std::uint64_t r) {
  std::vector<EncodingSpec> specs;
  std::set<std::string> keys;
  const auto add = [&](const EncodingSpec& spec) {
    if (keys.insert(Rotary::Key(spec)).second) specs.push_back(spec);
  };
  for (const FrequencyScaling& scaling : Scalings(r)) {
    add(RotarySpec({.d_model = r, .frequency_scaling = scaling}));
  }
  for (const Profile& profile : Profiles()) {
    if (profile.spec.kind != EncodingKind::kRotary) continue;
    add(RotarySpec({.profile = std::string(profile.name), .d_model = r}));
  }
  return specs;
}

TEST(Rotary, IsExactForEveryRuleAndProfile) {
  for (const std::uint64_t r : {2, 4, 6, 8, 64}) {
    for (const EncodingSpec& spec : DistinctRotarySpecs(r)) {
      for (const double position :
           {0.0, 1.0, 2.0, 511.0, 5000.0, 32768.0, 1e6, 1e9, -7.0, 0.5}) {
        ExpectExactRow(spec, position);
      }
    }
  }
}

TEST(Rotary, IsExactForWideHeads) {
  for (const std::uint64_t r : {768, 4096}) {
    for (const EncodingSpec& spec : DistinctRotarySpecs(r)) {
      for (const double position : {511.0, 1e9, 0.5}) {
        ExpectExactRow(spec, position);
      }
    }
  }
}

TEST(Rotary, HonoursStartAndScaleAndBase) {
  ExpectExactRow(
      RotarySpec(
          {.d_model = 8, .base = 500000, .start = -3, .angle_scale = 0.3}),
      777777);
}

TEST(Rotary, PartialAndProportionalDimensions) {
  const EncodingSpec partial =
      RotarySpec({.d_model = 16, .rotary_dimension = 4});
  EXPECT_EQ(Rotary(partial).width(), 4u);
  ExpectExactRow(partial, 1000);
  const EncodingSpec proportional =
      RotarySpec({.d_model = 16,
                  .rotary_dimension = 4,
                  .frequency_scaling = FrequencyScaling{
                      .rule = FrequencyRule::kProportional, .factor = 1}});
  ASSERT_EQ(Rotary(proportional).width(), 16u);
  ExpectExactRow(proportional, 1000);
  const std::vector<double> row = RotaryRow(proportional, 1000);
  for (std::size_t i = 2; i < 8; ++i) {
    EXPECT_EQ(row[i], 1);
    EXPECT_EQ(row[8 + i], 0);
  }
}

// What decides values is in the key, and nothing else is.
TEST(Rotary, KeysOfEqualValuesAreEqual) {
  const auto key = [](const FrequencyScaling& scaling,
                      RotaryPairing pairing = RotaryPairing::kHalves) {
    return Rotary::Key(RotarySpec({.d_model = 8,
                                   .rotary_pairing = pairing,
                                   .frequency_scaling = scaling}));
  };
  const std::string plain = key({});
  EXPECT_EQ(key({}, RotaryPairing::kAdjacent), plain);
  EXPECT_EQ(key({.rule = FrequencyRule::kLinear, .factor = 1}), plain);
  const FrequencyScaling dynamic{.rule = FrequencyRule::kDynamicNtk,
                                 .factor = 2,
                                 .original_context = 2048};
  EXPECT_EQ(key(dynamic), plain);
  FrequencyScaling longer = dynamic;
  longer.context_length = 2049;
  EXPECT_NE(key(longer), plain);
  FrequencyScaling longrope{.rule = FrequencyRule::kLongrope,
                            .original_context = 4096,
                            .short_factors = {1, 2, 3, 4},
                            .long_factors = {5, 6, 7, 8}};
  const std::string in_short = key(longrope);
  longrope.long_factors = {9, 9, 9, 9};
  longrope.context_length = 100;
  EXPECT_EQ(key(longrope), in_short);
  longrope.context_length = 4097;
  EXPECT_NE(key(longrope), in_short);
  EXPECT_NE(key({.rule = FrequencyRule::kYarn,
                 .factor = 4,
                 .original_context = 2048,
                 .attention_factor = 2}),
            key({.rule = FrequencyRule::kYarn,
                 .factor = 4,
                 .original_context = 2048}));
}

// The scores of turned queries and keys depend on their distance alone, and
// turning changes no length.
TEST(Rotary, ScoresDependOnTheDistance) {
  const EncodingSpec spec = RotarySpec({.d_model = 16});
  const auto turned = [&](const std::vector<double>& x, double position) {
    const std::vector<double> row = RotaryRow(spec, position);
    std::vector<double> y(16);
    for (std::size_t i = 0; i < 8; ++i) {
      y[i] = x[i] * row[i] - x[8 + i] * row[8 + i];
      y[8 + i] = x[i] * row[8 + i] + x[8 + i] * row[i];
    }
    return y;
  };
  const auto dot = [](const std::vector<double>& a,
                      const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  std::vector<double> q(16), k(16);
  for (std::size_t i = 0; i < 16; ++i) {
    q[i] = std::sin(static_cast<double>(3 * i));
    k[i] = std::cos(static_cast<double>(5 * i));
  }
  const double score = dot(turned(q, 7), turned(k, 3));
  for (const double shift : {1.0, 250.0, 4096.0, 1e6, 0.5}) {
    EXPECT_NEAR(dot(turned(q, 7 + shift), turned(k, 3 + shift)), score, 1e-13);
    EXPECT_NEAR(dot(turned(q, shift), turned(q, shift)), dot(q, q), 1e-13);
  }
}

TEST(Rotary, BoundsItsError) {
  EXPECT_EQ(*Rotary(RotarySpec({.d_model = 8})).MaxError(DType::kFloat32),
            0x1p-25 + 1e-15);
  const EncodingSpec yarn = RotarySpec(
      {.d_model = 8,
       .frequency_scaling = FrequencyScaling{.rule = FrequencyRule::kYarn,
                                             .factor = 4,
                                             .original_context = 2048}});
  EXPECT_GE(*Rotary(yarn).MaxError(DType::kFloat32), 0x1p-24);
}

}  // namespace
}  // namespace posenc::server
