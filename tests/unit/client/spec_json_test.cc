#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/src/spec_codec.h"
#include "posenc/encoding_spec.h"

namespace posenc {
namespace {

using testing::HasSubstr;

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
          .angle_scale = 0.25};
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
