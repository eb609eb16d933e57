#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/src/spec_codec.h"
#include "posenc/encoding_spec.h"

namespace posenc {
namespace {

using testing::HasSubstr;

FrequencyScaling FullScaling() {
  return {.rule = FrequencyRule::kLongrope,
          .factor = 8,
          .original_context = 4096,
          .context_length = 8192,
          .beta_fast = 32,
          .beta_slow = 1,
          .truncate = false,
          .mscale = 0.5,
          .mscale_all_dim = 0.25,
          .attention_factor = 1.5,
          .low_frequency_factor = 1,
          .high_frequency_factor = 4,
          .short_factors = {1, 1.25},
          .long_factors = {1, 32}};
}

EncodingSpec FullSpec() {
  return {.profile = "fairseq",
          .d_model = 512,
          .kind = EncodingKind::kSinusoidal,
          .base = 12345.678901234567,
          .layout = SinusoidLayout::kCosSin,
          .denominator = FrequencyDenominator::kHalfFloorMinusOne,
          .odd_dimension = OddDimension::kZeroLast,
          .start = -9007199254740993,
          .embedding_scale = EmbeddingScale::kSqrtDModelForTokenIds,
          .embedding_factor = -0.1,
          .padding_rows = PaddingRows::kZero,
          .max_positions = 18446744073709551615u,
          .position_table = "wpe/\"quoted\"",
          .angle_scale = 0.25,
          .encoding_scale = EncodingScale::kSqrtTwoOverDModel,
          .encoding_factor = 0.75,
          .angle_precision = AnglePrecision::kFloat32Pow,
          .table_overflow = TableOverflow::kZeroRow,
          .grid_axes = {GridAxis::kTime, GridAxis::kWidth},
          .grid_sizes = {3, 65536},
          .grid_base_sizes = {16, 0.5},
          .grid_interpolations = {2, 1.875},
          .channel_axes = {GridAxis::kWidth, GridAxis::kTime},
          .channel_split = ChannelSplit::kEvenCeil,
          .channel_blocks = ChannelBlocks::kByFunction,
          .class_rows = 1,
          .normalize_coordinates = false,
          .rotary_dimension = 64,
          .rotary_pairing = RotaryPairing::kAdjacent,
          .frequency_scaling = FullScaling(),
          .buckets = 32,
          .max_distance = 128,
          .bidirectional = false};
}

void ExpectEqual(const FrequencyScaling& a, const FrequencyScaling& b) {
  EXPECT_EQ(a.rule, b.rule);
  EXPECT_EQ(a.factor, b.factor);
  EXPECT_EQ(a.original_context, b.original_context);
  EXPECT_EQ(a.context_length, b.context_length);
  EXPECT_EQ(a.beta_fast, b.beta_fast);
  EXPECT_EQ(a.beta_slow, b.beta_slow);
  EXPECT_EQ(a.truncate, b.truncate);
  EXPECT_EQ(a.mscale, b.mscale);
  EXPECT_EQ(a.mscale_all_dim, b.mscale_all_dim);
  EXPECT_EQ(a.attention_factor, b.attention_factor);
  EXPECT_EQ(a.low_frequency_factor, b.low_frequency_factor);
  EXPECT_EQ(a.high_frequency_factor, b.high_frequency_factor);
  EXPECT_EQ(a.short_factors, b.short_factors);
  EXPECT_EQ(a.long_factors, b.long_factors);
}

void ExpectEqual(const EncodingSpec& a, const EncodingSpec& b) {
  EXPECT_EQ(a.profile, b.profile);
  EXPECT_EQ(a.d_model, b.d_model);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.base, b.base);
  EXPECT_EQ(a.layout, b.layout);
  EXPECT_EQ(a.denominator, b.denominator);
  EXPECT_EQ(a.odd_dimension, b.odd_dimension);
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.embedding_scale, b.embedding_scale);
  EXPECT_EQ(a.embedding_factor, b.embedding_factor);
  EXPECT_EQ(a.padding_rows, b.padding_rows);
  EXPECT_EQ(a.max_positions, b.max_positions);
  EXPECT_EQ(a.position_table, b.position_table);
  EXPECT_EQ(a.angle_scale, b.angle_scale);
  EXPECT_EQ(a.encoding_scale, b.encoding_scale);
  EXPECT_EQ(a.encoding_factor, b.encoding_factor);
  EXPECT_EQ(a.angle_precision, b.angle_precision);
  EXPECT_EQ(a.table_overflow, b.table_overflow);
  EXPECT_EQ(a.grid_axes, b.grid_axes);
  EXPECT_EQ(a.grid_sizes, b.grid_sizes);
  EXPECT_EQ(a.grid_base_sizes, b.grid_base_sizes);
  EXPECT_EQ(a.grid_interpolations, b.grid_interpolations);
  EXPECT_EQ(a.channel_axes, b.channel_axes);
  EXPECT_EQ(a.channel_split, b.channel_split);
  EXPECT_EQ(a.channel_blocks, b.channel_blocks);
  EXPECT_EQ(a.class_rows, b.class_rows);
  EXPECT_EQ(a.normalize_coordinates, b.normalize_coordinates);
  EXPECT_EQ(a.rotary_dimension, b.rotary_dimension);
  EXPECT_EQ(a.rotary_pairing, b.rotary_pairing);
  ASSERT_EQ(a.frequency_scaling.has_value(), b.frequency_scaling.has_value());
  if (a.frequency_scaling) {
    ExpectEqual(*a.frequency_scaling, *b.frequency_scaling);
  }
  EXPECT_EQ(a.buckets, b.buckets);
  EXPECT_EQ(a.max_distance, b.max_distance);
  EXPECT_EQ(a.bidirectional, b.bidirectional);
}

TEST(SpecCodec, EveryFieldSurvives) {
  ExpectEqual(FromProto(ToProto(FullSpec())), FullSpec());
  ExpectEqual(FromProto(ToProto(EncodingSpec())), EncodingSpec());
}

TEST(SpecJson, EveryFieldSurvives) {
  const std::string json = EncodingSpecToJson(FullSpec());
  EXPECT_EQ(json.find('\n'), std::string::npos);
  const auto spec = EncodingSpecFromJson(json);
  ASSERT_TRUE(spec.ok()) << spec.status();
  ExpectEqual(*spec, FullSpec());
}

TEST(SpecJson, WritesOnlyWhatIsSet) {
  EXPECT_EQ(EncodingSpecToJson({}), "{}");
  EXPECT_EQ(EncodingSpecToJson({.profile = "fairseq", .d_model = 512}),
            R"({"profile":"fairseq","dModel":512})");
  EXPECT_EQ(EncodingSpecToJson({.start = 0}), R"({"start":"0"})");
}

TEST(SpecJson, ReadsBothSpellingsOfAName) {
  for (const char* json : {R"({"dModel": 8, "layout": "SIN_COS"})",
                           R"( {"d_model": 8, "layout": 2})"}) {
    const auto spec = EncodingSpecFromJson(json);
    ASSERT_TRUE(spec.ok()) << spec.status();
    ExpectEqual(*spec, {.d_model = 8, .layout = SinusoidLayout::kSinCos});
  }
}

TEST(SpecJson, BadInputIsRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not an object"},
      {"null", "not an object"},
      {"[1]", "not an object"},
      {"512", "not an object"},
      {R"({"dmodel": 512})", "dmodel"},
      {R"({"profile": "a", "surprise": {"b": 1}})", "surprise"},
      {R"({"dModel": -1})", "-1"},
      {R"({"dModel": 4294967296})", "4294967296"},
      {R"({"layout": "SIDEWAYS"})", "SIDEWAYS"},
      {R"({"profile": "fairseq")", "wrong"},
      {R"({"profile": "fairseq"} x)", "wrong"},
  };
  for (const auto& [json, text] : cases) {
    SCOPED_TRACE(json);
    const auto spec = EncodingSpecFromJson(json);
    EXPECT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(spec.status().message()), HasSubstr(text));
  }
}

}  // namespace
}  // namespace posenc
