// Specs of random fields: each either resolves to a fixed point that encodes
// without a NaN, or is refused with a reason.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/core/encodings/registry.h"
#include "server/transport/spec_codec.h"
#include "tests/support/temporary_directory.h"

namespace posenc::server {
namespace {

constexpr std::uint64_t kTableWidth = 8;
constexpr std::uint64_t kTableRows = 32;

// Makes fields of values that are mostly possible, at times at a limit, and
// seldom nonsense.
class SpecMaker {
 public:
  explicit SpecMaker(std::uint32_t seed) : random_(seed) {}

  SpecFields Make() {
    SpecFields fields;
    const auto& profiles = Profiles();
    if (Chance(0.9)) {
      fields.profile = std::string(profiles[Below(profiles.size())].name);
    }
    fields.d_model = Pick<std::uint64_t>({1, 2, 3, 7, 8, 16, 48, 64});
    Maybe(0.1, fields.kind, static_cast<EncodingKind>(Below(6)));
    MakeAngles(fields);
    MakeScales(fields);
    MakeTables(fields);
    MakeGrid(fields);
    MakeRotary(fields);
    return fields;
  }

 private:
  bool Chance(double p) { return std::bernoulli_distribution(p)(random_); }
  std::size_t Below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  template <typename T>
  T Pick(std::initializer_list<T> values) {
    return values.begin()[Below(values.size())];
  }
  template <typename T, typename V>
  void Maybe(double p, std::optional<T>& field, V value) {
    if (Chance(p)) field = static_cast<T>(value);
  }
  double Number() {
    if (Chance(0.05)) {
      return Pick<double>({0, -1, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN(), 1e300});
    }
    return Pick<double>({1, 0.5, 2, 10000, 1e-6, 1e6, 3.25, 500});
  }
  std::vector<double> Numbers(std::size_t count) {
    std::vector<double> numbers(count);
    for (double& number : numbers) number = Number();
    return numbers;
  }

  void MakeAngles(SpecFields& fields) {
    Maybe(0.2, fields.base, Number());
    Maybe(0.1, fields.angle_scale, Number());
    Maybe(0.1, fields.layout, Below(3));
    Maybe(0.1, fields.denominator, Below(4));
    Maybe(0.2, fields.odd_dimension, Below(3));
    Maybe(0.2, fields.start,
          Pick<std::int64_t>({0, 1, -1, kMaxStart, -kMaxStart, kMaxStart + 1}));
    Maybe(0.1, fields.angle_precision, Below(3));
  }
  void MakeScales(SpecFields& fields) {
    Maybe(0.1, fields.embedding_scale, Below(3));
    Maybe(0.1, fields.embedding_factor, Number());
    Maybe(0.1, fields.encoding_scale, Below(3));
    Maybe(0.1, fields.encoding_factor, Number());
    Maybe(0.1, fields.padding_rows, Below(4));
    Maybe(0.1, fields.max_positions, Pick<std::uint64_t>({0, 1, 100}));
  }
  void MakeTables(SpecFields& fields) {
    Maybe(0.05, fields.position_table, Pick<const char*>({"places", "none"}));
    Maybe(0.05, fields.table_overflow, Below(3));
    Maybe(0.03, fields.buckets, Pick<std::uint64_t>({0, 1, 2, 32, 65537}));
    Maybe(0.03, fields.max_distance, Pick<std::uint64_t>({0, 1, 64, 128}));
    Maybe(0.03, fields.bidirectional, Below(2) == 0);
  }
  void MakeGrid(SpecFields& fields) {
    const bool grid = fields.profile && Spec(*fields.profile).kind ==
                                            EncodingKind::kSinusoidalGrid;
    if (!Chance(grid ? 0.95 : 0.02)) return;
    const std::size_t axes =
        Chance(0.9) && grid ? Spec(*fields.profile).grid_axes.size() : Below(4);
    for (std::size_t i = 0; i < axes; ++i) {
      fields.grid_sizes.push_back(
          Pick<std::uint64_t>({1, 2, 3, 5, 17, 65536, 4}));
    }
    if (Chance(0.2)) fields.grid_base_sizes = Numbers(axes);
    if (Chance(0.2)) fields.grid_interpolations = Numbers(axes);
    if (Chance(0.1)) fields.grid_axes = Axes();
    if (Chance(0.1)) fields.channel_axes = Axes();
    Maybe(0.1, fields.channel_split, Below(3));
    Maybe(0.1, fields.channel_blocks, Below(2));
    Maybe(0.1, fields.class_rows, Pick<std::uint64_t>({0, 1, 7, 65537}));
    Maybe(0.1, fields.normalize_coordinates, Below(2) == 0);
  }
  std::vector<GridAxis> Axes() {
    std::vector<GridAxis> axes(1 + Below(3));
    for (GridAxis& axis : axes) axis = static_cast<GridAxis>(Below(3));
    return axes;
  }
  void MakeRotary(SpecFields& fields) {
    const bool rotary =
        fields.profile && Spec(*fields.profile).kind == EncodingKind::kRotary;
    if (!rotary && !Chance(0.02)) return;
    Maybe(0.3, fields.rotary_dimension,
          Pick<std::uint64_t>({2, 4, 8, 16, 48, 3, 0}));
    Maybe(0.2, fields.rotary_pairing, Below(2));
    if (Chance(0.6)) fields.frequency_scaling = MakeScaling();
  }
  FrequencyScaling MakeScaling() {
    FrequencyScaling scaling{.rule = static_cast<FrequencyRule>(Below(8))};
    const auto needed = [&](std::initializer_list<FrequencyRule> rules) {
      return Chance(std::find(rules.begin(), rules.end(), scaling.rule) !=
                            rules.end()
                        ? 0.9
                        : 0.03);
    };
    using Rule = FrequencyRule;
    if (needed({Rule::kLinear, Rule::kNtk, Rule::kDynamicNtk, Rule::kYarn,
                Rule::kLlama3, Rule::kProportional})) {
      scaling.factor = Number();
    }
    if (needed(
            {Rule::kDynamicNtk, Rule::kYarn, Rule::kLlama3, Rule::kLongrope})) {
      scaling.original_context =
          Pick<std::uint64_t>({1, 2048, kMaxContext, 0, 8192});
    }
    if (needed({Rule::kDynamicNtk})) {
      scaling.context_length = Pick<std::uint64_t>({1, 2049, 100000, 0});
    }
    if (needed({Rule::kLlama3})) scaling.low_frequency_factor = 1;
    if (needed({Rule::kLlama3})) scaling.high_frequency_factor = Number();
    if (needed({Rule::kLongrope})) {
      const std::size_t pairs = Pick<std::size_t>({4, 4, 8, 24, 32});
      scaling.short_factors = Numbers(pairs);
      scaling.long_factors = Numbers(pairs);
    }
    if (scaling.rule == Rule::kYarn) {
      Maybe(0.2, scaling.beta_fast, Number());
      Maybe(0.2, scaling.beta_slow, Number());
      Maybe(0.2, scaling.truncate, Below(2) == 0);
      Maybe(0.2, scaling.mscale, Number());
      Maybe(0.2, scaling.mscale_all_dim, Number());
    }
    Maybe(0.1, scaling.attention_factor, Number());
    return scaling;
  }

  static const EncodingSpec& Spec(const std::string& name) {
    const auto& profiles = Profiles();
    return std::find_if(
               profiles.begin(), profiles.end(),
               [&](const Profile& profile) { return profile.name == name; })
        ->spec;
  }

  std::mt19937 random_;
};

class RandomSpecs : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  RandomSpecs() : device_(*MakeDevice("cpu", kMiB, workers_)) {
    const std::vector<float> places(kTableRows * kTableWidth, 0.25f);
    testing::WriteNpy(directory_.File("places.npy"), {kTableRows, kTableWidth},
                      places);
    tables_ = *EmbeddingStore::Open(directory_.path(), *device_);
  }

  static void ExpectReason(const absl::Status& status) {
    EXPECT_TRUE(status.code() == absl::StatusCode::kInvalidArgument ||
                status.code() == absl::StatusCode::kNotFound)
        << status;
    EXPECT_NE(ReasonOf(status), "INVALID_ARGUMENT") << status;
  }

  void ExpectFixedPoint(const EncodingSpec& spec) {
    const std::string json = ToProto(spec).ShortDebugString();
    const auto fields = FromProto(ToProto(spec));
    ASSERT_TRUE(fields.ok()) << fields.status() << " of " << json;
    const auto again = ResolveSpec(*fields, std::nullopt);
    ASSERT_TRUE(again.ok()) << again.status() << " of " << json;
    EXPECT_TRUE(*again == spec) << json;
  }

  static void ExpectNumbers(const Encoding& encoding,
                            const EncodingSpec& spec) {
    const PositionRange range = encoding.range();
    for (const std::int64_t wanted :
         {std::int64_t{0}, std::int64_t{255}, std::int64_t{-7},
          std::int64_t{1000000000}}) {
      const std::int64_t position = std::clamp(wanted, range.first, range.last);
      std::vector<double> row(encoding.width(), NAN);
      ASSERT_TRUE(encoding.BuildRows(position, row).ok());
      for (const double value : row) {
        ASSERT_TRUE(std::isfinite(value)) << "position " << position << " of "
                                          << ToProto(spec).ShortDebugString();
      }
    }
  }

  testing::TemporaryDirectory directory_;
  WorkerPool workers_{1};
  std::unique_ptr<Device> device_;
  std::unique_ptr<EmbeddingStore> tables_;
};

TEST_P(RandomSpecs, EncodeOrAreRefused) {
  constexpr int kSpecs = 2000;
  SpecMaker maker(GetParam());
  int encoded = 0;
  for (int n = 0; n < kSpecs; ++n) {
    const auto spec = ResolveSpec(maker.Make(), std::nullopt);
    if (!spec.ok()) {
      ExpectReason(spec.status());
      continue;
    }
    ExpectFixedPoint(*spec);
    const auto recipe = FindRecipe(*spec, *tables_);
    if (!recipe.ok()) {
      ExpectReason(recipe.status());
      continue;
    }
    ExpectNumbers(*recipe->make(), *spec);
    ++encoded;
  }
  // Else the test has tried nothing.
  EXPECT_GT(encoded, kSpecs / 10);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSpecs, ::testing::Range(1u, 6u));

}  // namespace
}  // namespace posenc::server
