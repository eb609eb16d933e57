#include "client/cli/family_options.h"

#include "client/cli/spec_options.h"
#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

posenc::EncodingSpec FamilySpecOf(const std::vector<std::string>& arguments) {
  SpecOptions options;
  EXPECT_EQ(Parse(options, arguments), "");
  const auto spec = options.Spec();
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? *spec : posenc::EncodingSpec();
}

std::string FamilyComplaint(const std::vector<std::string>& arguments) {
  SpecOptions options;
  return Parse(options, arguments);
}

TEST(FamilyOptionsTest, Grids) {
  const posenc::EncodingSpec spec = FamilySpecOf(
      {"--grid", "8x14x16", "--grid-axes", "time,height,width",
       "--grid-base-sizes", "8,16,16", "--grid-interpolations", "1,2,1.875",
       "--channel-axes", "time,width,HEIGHT", "--channel-split", "quarter-time",
       "--channel-blocks", "by-axis", "--class-rows", "1",
       "--normalize-coordinates", "true"});
  using posenc::GridAxis;
  EXPECT_THAT(spec.grid_sizes, ElementsAre(8, 14, 16));
  EXPECT_THAT(spec.grid_axes, ElementsAre(GridAxis::kTime, GridAxis::kHeight,
                                          GridAxis::kWidth));
  EXPECT_THAT(spec.grid_base_sizes, ElementsAre(8, 16, 16));
  EXPECT_THAT(spec.grid_interpolations, ElementsAre(1, 2, 1.875));
  EXPECT_THAT(spec.channel_axes, ElementsAre(GridAxis::kTime, GridAxis::kWidth,
                                             GridAxis::kHeight));
  EXPECT_EQ(spec.channel_split, posenc::ChannelSplit::kQuarterTime);
  EXPECT_EQ(spec.channel_blocks, posenc::ChannelBlocks::kByAxis);
  EXPECT_EQ(spec.class_rows, 1u);
  EXPECT_EQ(spec.normalize_coordinates, true);
}

TEST(FamilyOptionsTest, RefusesGridsThatAreNone) {
  for (const char* grid :
       {"14", "14x", "14,14", "axb", "-1x2", "99999999999x1"}) {
    const std::string complaint = FamilyComplaint({"--grid", grid});
    if (std::string(grid) == "14") {
      EXPECT_EQ(complaint, "");
    } else {
      EXPECT_THAT(complaint, HasSubstr(grid));
    }
  }
  EXPECT_THAT(FamilyComplaint({"--grid-axes", "height,depth"}),
              HasSubstr("time|height|width"));
  EXPECT_THAT(FamilyComplaint({"--grid-base-sizes", "1,x"}), HasSubstr("'x'"));
  EXPECT_THAT(FamilyComplaint({"--normalize-coordinates", "yes"}),
              HasSubstr("true|false"));
}

TEST(FamilyOptionsTest, Rotary) {
  const posenc::EncodingSpec spec =
      FamilySpecOf({"--kind", "rotary", "--rotary-dimension", "64",
                    "--rotary-pairing", "adjacent", "--frequency-scaling",
                    "yarn,factor=4,original_context=2048,truncate=false,"
                    "mscale=1,mscale-all-dim=0.8,beta-fast=16,beta-slow=2"});
  EXPECT_EQ(spec.kind, posenc::EncodingKind::kRotary);
  EXPECT_EQ(spec.rotary_dimension, 64u);
  EXPECT_EQ(spec.rotary_pairing, posenc::RotaryPairing::kAdjacent);
  ASSERT_TRUE(spec.frequency_scaling);
  EXPECT_EQ(spec.frequency_scaling->rule, posenc::FrequencyRule::kYarn);
  EXPECT_EQ(spec.frequency_scaling->factor, 4);
  EXPECT_EQ(spec.frequency_scaling->original_context, 2048u);
  EXPECT_EQ(spec.frequency_scaling->truncate, false);
  EXPECT_EQ(spec.frequency_scaling->mscale, 1);
  EXPECT_EQ(spec.frequency_scaling->mscale_all_dim, 0.8);
  EXPECT_EQ(spec.frequency_scaling->beta_fast, 16);
  EXPECT_EQ(spec.frequency_scaling->beta_slow, 2);
}

TEST(FamilyOptionsTest, OtherScalings) {
  const auto longrope = FamilySpecOf(
      {"--frequency-scaling",
       "longrope,original-context=4096,context-length=8192,short-factors=1:1.5,"
       "long-factors=1:32,attention-factor=1.25"});
  ASSERT_TRUE(longrope.frequency_scaling);
  EXPECT_EQ(longrope.frequency_scaling->context_length, 8192u);
  EXPECT_THAT(longrope.frequency_scaling->short_factors, ElementsAre(1, 1.5));
  EXPECT_THAT(longrope.frequency_scaling->long_factors, ElementsAre(1, 32));
  EXPECT_EQ(longrope.frequency_scaling->attention_factor, 1.25);
  const auto llama3 = FamilySpecOf(
      {"--frequency-scaling",
       "llama3,factor=8,low-frequency-factor=1,high-frequency-factor=4"});
  ASSERT_TRUE(llama3.frequency_scaling);
  EXPECT_EQ(llama3.frequency_scaling->low_frequency_factor, 1);
  EXPECT_EQ(llama3.frequency_scaling->high_frequency_factor, 4);
}

TEST(FamilyOptionsTest, RefusesScalingsThatAreNone) {
  for (const auto& [value, part] :
       std::vector<std::pair<std::string, std::string>>{
           {"zigzag", "'zigzag'"},
           {"yarn,factor", "'factor'"},
           {"yarn,factor=x", "'factor=x'"},
           {"yarn,faktor=4", "'faktor=4'"},
           {"yarn,truncate=maybe", "'truncate=maybe'"},
           {"longrope,short-factors=1:", "'short-factors=1:'"},
           {"dynamic-ntk,original-context=1.5", "'original-context=1.5'"}}) {
    EXPECT_THAT(FamilyComplaint({"--frequency-scaling", value}),
                HasSubstr(part));
  }
}

TEST(FamilyOptionsTest, Buckets) {
  const posenc::EncodingSpec spec =
      FamilySpecOf({"--kind", "relative-buckets", "--buckets", "64",
                    "--max-distance", "256", "--bidirectional", "false"});
  EXPECT_EQ(spec.buckets, 64u);
  EXPECT_EQ(spec.max_distance, 256u);
  EXPECT_EQ(spec.bidirectional, false);
}

}  // namespace
}  // namespace posenc::cli
