#include "server/core/spec_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void ExpectRefused(const SpecFields& fields, const std::string& reason,
                   const std::string& message) {
  const auto spec = ResolveSpec(fields, std::nullopt);
  ASSERT_FALSE(spec.ok()) << reason;
  EXPECT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(spec.status()), reason);
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr(message));
}

SpecFields Grid(std::vector<std::uint64_t> sizes) {
  return {.profile = "hf-2d", .d_model = 8, .grid_sizes = std::move(sizes)};
}

TEST(SpecChecks, EncodingFactors) {
  for (const double factor : {0.0, 1e-31, -1e31, kNan, kInfinity}) {
    ExpectRefused({.d_model = 8, .encoding_factor = factor},
                  "ENCODING_FACTOR_OUT_OF_BOUNDS", "1e-30 to 1e+30");
  }
  EXPECT_TRUE(
      ResolveSpec({.d_model = 8, .encoding_factor = -0.5}, std::nullopt).ok());
  ExpectRefused({.d_model = 8,
                 .encoding_scale = EncodingScale::kUnscaled,
                 .encoding_factor = 2},
                "CONTRADICTORY_FIELDS", "encoding.encoding_factor");
}

TEST(SpecChecks, BasesThatWouldRaiseTheLastFrequency) {
  SpecFields fields{.d_model = 5,
                    .base = 0.5,
                    .denominator = FrequencyDenominator::kHalfFloorMinusOne};
  ExpectRefused(fields, "BASE_OUT_OF_BOUNDS",
                "encoding.base is 0.5, but must be 1 to");
  fields.d_model = 4;
  EXPECT_TRUE(ResolveSpec(fields, std::nullopt).ok());
  fields.d_model = 5;
  fields.odd_dimension = OddDimension::kZeroLast;
  EXPECT_TRUE(ResolveSpec(fields, std::nullopt).ok());
}

TEST(SpecChecks, AGridsRatiosAreFilledIn) {
  const auto spec = ResolveSpec(Grid({3, 5}), std::nullopt);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_THAT(spec->grid_base_sizes, ElementsAre(3, 5));
  EXPECT_THAT(spec->grid_interpolations, ElementsAre(1, 1));
  EXPECT_EQ(GridRows(*spec), 15u);
}

TEST(SpecChecks, SizesOfGrids) {
  ExpectRefused(Grid({}), "GRID_SIZES_MISSING", "a grid of 2 axes");
  ExpectRefused(Grid({3}), "GRID_LISTS",
                "encoding.grid_sizes has 1 entries, but encoding.grid_axes has "
                "2");
  ExpectRefused(Grid({3, 0}), "GRID_SIZE_OUT_OF_BOUNDS",
                "encoding.grid_sizes is 0, but must be 1 to 65536");
  ExpectRefused(Grid({3, 65537}), "GRID_SIZE_OUT_OF_BOUNDS", "is 65537");
  ExpectRefused(Grid({65536, 65536}), "GRID_SIZE_OUT_OF_BOUNDS",
                "product is 4294967296, but must be 1 to 2147483648");
}

TEST(SpecChecks, RatiosOfGrids) {
  SpecFields fields = Grid({3, 5});
  fields.grid_base_sizes = {16};
  ExpectRefused(fields, "GRID_LISTS", "encoding.grid_base_sizes has 1");
  for (const double ratio : {0.0, -1.0, 1e-7, 1e7, kNan, kInfinity}) {
    fields.grid_base_sizes = {16, ratio};
    ExpectRefused(fields, "GRID_RATIO_OUT_OF_BOUNDS",
                  "encoding.grid_base_sizes is ");
    SpecFields other = Grid({3, 5});
    other.grid_interpolations = {ratio, 1};
    ExpectRefused(other, "GRID_RATIO_OUT_OF_BOUNDS",
                  "encoding.grid_interpolations is ");
  }
}

TEST(SpecChecks, AxesOfGrids) {
  SpecFields fields = Grid({3, 5});
  fields.grid_axes = {GridAxis::kHeight, GridAxis::kHeight};
  ExpectRefused(fields, "GRID_AXES", "encoding.grid_axes has 2 entries");
  fields.grid_axes = {GridAxis::kTime, GridAxis::kHeight, GridAxis::kWidth,
                      GridAxis::kTime};
  ExpectRefused(fields, "GRID_AXES", "encoding.grid_axes has 4 entries");
  fields.grid_axes = {GridAxis::kTime, GridAxis::kHeight};
  ExpectRefused(fields, "GRID_AXES",
                "encoding.channel_axes has 2 entries, but must name the 2");
  fields.channel_axes = {GridAxis::kHeight, GridAxis::kTime};
  EXPECT_TRUE(ResolveSpec(fields, std::nullopt).ok());
}

TEST(SpecChecks, ChannelsOfGrids) {
  SpecFields fields = Grid({3, 5});
  fields.d_model = 10;
  ExpectRefused(fields, "D_MODEL_NO_MULTIPLE",
                "d_model is 10, but with 2 axes it must be a multiple of 4");
  fields.channel_split = ChannelSplit::kEvenCeil;
  EXPECT_TRUE(ResolveSpec(fields, std::nullopt).ok());
  fields.channel_split = ChannelSplit::kQuarterTime;
  ExpectRefused(fields, "GRID_AXES", "needs 3 axes, but encoding.grid_axes");
  ExpectRefused(
      {.profile = "diffusers-3d", .d_model = 24, .grid_sizes = {1, 2, 3}},
      "D_MODEL_NO_MULTIPLE", "d_model is 24");
  fields = Grid({3, 5});
  fields.channel_blocks = ChannelBlocks::kByFunction;
  fields.layout = SinusoidLayout::kInterleaved;
  ExpectRefused(fields, "CONTRADICTORY_FIELDS", "BY_FUNCTION");
  fields = Grid({3, 5});
  fields.class_rows = kMaxClassRows + 1;
  ExpectRefused(fields, "CLASS_ROWS_OUT_OF_BOUNDS", "is 65537");
}

TEST(SpecChecks, RotaryDimensions) {
  const auto whole =
      ResolveSpec({.profile = "llama", .d_model = 64}, std::nullopt);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->rotary_dimension, 64u);
  for (const std::uint64_t r : {3u, 66u}) {
    ExpectRefused({.profile = "llama", .d_model = 64, .rotary_dimension = r},
                  "ROTARY_DIMENSION",
                  "encoding.rotary_dimension is " + std::to_string(r));
  }
  ExpectRefused({.profile = "llama", .d_model = 7}, "ROTARY_DIMENSION",
                "is 7, but must be even, and 2 to the d_model of 7");
}

TEST(SpecChecks, Buckets) {
  const auto buckets = [](std::uint64_t count, std::uint64_t distance,
                          bool bidirectional) {
    return SpecFields{.profile = "t5",
                      .d_model = 1,
                      .buckets = count,
                      .max_distance = distance,
                      .bidirectional = bidirectional};
  };
  ExpectRefused(buckets(1, 128, false), "BUCKETS_OUT_OF_BOUNDS",
                "encoding.buckets is 1, but must be 2 to 65536");
  ExpectRefused(buckets(2, 128, true), "BUCKETS_OUT_OF_BOUNDS", "4 to 65536");
  ExpectRefused(buckets(7, 128, true), "BUCKETS_OUT_OF_BOUNDS", "must be even");
  ExpectRefused(buckets(32, 8, true), "MAX_DISTANCE_OUT_OF_BOUNDS",
                "encoding.max_distance is 8, but must be 9");
  EXPECT_TRUE(ResolveSpec(buckets(7, 4, false), std::nullopt).ok());
}

}  // namespace
}  // namespace posenc::server
