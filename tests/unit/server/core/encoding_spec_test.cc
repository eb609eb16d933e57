#include "server/core/encoding_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

using ::testing::HasSubstr;

void ExpectInvalid(const SpecFields& fields,
                   const std::optional<InputWidth>& input,
                   const std::string& reason, const std::string& message) {
  const auto spec = ResolveSpec(fields, input);
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(spec.status()), reason);
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr(message));
}

TEST(ResolveSpec, StartsFromTorchlingo) {
  const auto spec = ResolveSpec({.d_model = 8}, std::nullopt);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->profile, "torchlingo");
  EXPECT_EQ(spec->base, 1e4);
  EXPECT_EQ(spec->layout, SinusoidLayout::kInterleaved);
  EXPECT_EQ(spec->denominator, FrequencyDenominator::kHalf);
  EXPECT_EQ(spec->odd_dimension, OddDimension::kDropCos);
  EXPECT_EQ(spec->start, 0);
}

TEST(ResolveSpec, FieldsOverrideTheProfileAndAbsentOnesKeepIt) {
  const auto spec =
      ResolveSpec({.profile = "fairseq", .d_model = 8, .base = 500, .start = 0},
                  std::nullopt);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->base, 500);
  EXPECT_EQ(spec->start, 0);
  EXPECT_EQ(spec->layout, SinusoidLayout::kSinCos);
  EXPECT_EQ(spec->padding_rows, PaddingRows::kZero);
}

TEST(ResolveSpec, TakesTheWidthOfTheInput) {
  const auto spec = ResolveSpec({}, InputWidth{16, "embeddings are [2,5,16]"});
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->d_model, 16u);
}

TEST(ResolveSpec, RefusesAnotherWidthWithBothNumbers) {
  ExpectInvalid({.d_model = 8}, InputWidth{16, "embeddings are [2,5,16]"},
                "D_MODEL_MISMATCH",
                "embeddings are [2,5,16] but encoding.d_model is 8");
}

TEST(ResolveSpec, RefusesAMissingOrImpossibleWidth) {
  ExpectInvalid({}, std::nullopt, "D_MODEL_MISSING", "d_model");
  ExpectInvalid({.d_model = 0}, std::nullopt, "D_MODEL_OUT_OF_BOUNDS",
                "d_model is 0");
  ExpectInvalid({.d_model = kMaxDModel + 1}, std::nullopt,
                "D_MODEL_OUT_OF_BOUNDS",
                "d_model is 65537, but must be 1 to "
                "65536");
}

TEST(ResolveSpec, ListsTheKnownProfiles) {
  ExpectInvalid({.profile = "nope", .d_model = 8}, std::nullopt,
                "UNKNOWN_PROFILE",
                "'nope'; the known ones are alibi, annotated-transformer, ");
  for (const Profile& profile : Profiles()) {
    ExpectInvalid({.profile = "nope", .d_model = 8}, std::nullopt,
                  "UNKNOWN_PROFILE", std::string(profile.name));
  }
}

TEST(ResolveSpec, AKindOfItsOwnTakesNothingOfTheProfile) {
  const auto spec = ResolveSpec(
      {.profile = "fairseq", .d_model = 8, .kind = EncodingKind::kRotary},
      std::nullopt);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->start, 0);
  EXPECT_EQ(spec->padding_rows, PaddingRows::kEncode);
  EXPECT_EQ(spec->rotary_dimension, 8u);
}

TEST(Profiles, StandInOrderAndSayWhatTheyEqual) {
  std::string last;
  for (const Profile& profile : Profiles()) {
    EXPECT_LT(last, std::string(profile.name));
    last = std::string(profile.name);
    EXPECT_EQ(profile.spec.profile, profile.name);
    EXPECT_FALSE(profile.library.empty() || profile.symbol.empty()) << last;
  }
}

TEST(ResolveSpec, RefusesFieldsOfAnotherKind) {
  ExpectInvalid({.profile = "alibi", .d_model = 8, .start = 1}, std::nullopt,
                "FIELD_OF_ANOTHER_KIND",
                "encoding.start is no field of ALIBI encodings");
  ExpectInvalid({.d_model = 8, .grid_sizes = {2, 4}}, std::nullopt,
                "FIELD_OF_ANOTHER_KIND", "encoding.grid_sizes");
  ExpectInvalid({.d_model = 8, .frequency_scaling = FrequencyScaling()},
                std::nullopt, "FIELD_OF_ANOTHER_KIND",
                "encoding.frequency_scaling");
  ExpectInvalid({.profile = "learned", .d_model = 8, .base = 1e4}, std::nullopt,
                "FIELD_OF_ANOTHER_KIND", "encoding.base");
  ExpectInvalid({.d_model = 8, .position_table = "positions"}, std::nullopt,
                "FIELD_OF_ANOTHER_KIND", "encoding.position_table");
}

TEST(ResolveSpec, RefusesBasesThatMeanNothing) {
  for (const double base :
       {0.0, -1.0, 1e-7, 1e31, std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    ExpectInvalid({.d_model = 8, .base = base}, std::nullopt,
                  "BASE_OUT_OF_BOUNDS", "encoding.base is ");
  }
}

TEST(ResolveSpec, RefusesAngleScalesThatMeanNothing) {
  for (const double scale :
       {0.0, -1.0, 1e-7, 2e6, std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    ExpectInvalid({.d_model = 8, .angle_scale = scale}, std::nullopt,
                  "ANGLE_SCALE_OUT_OF_BOUNDS", "but with base 10000 must be ");
  }
  ExpectInvalid({.d_model = 8, .base = 0.5, .angle_scale = 1e6}, std::nullopt,
                "ANGLE_SCALE_OUT_OF_BOUNDS",
                "encoding.angle_scale is 1e+06, but with base 0.5 must be "
                "1e-06 to 500000");
  ExpectInvalid({.profile = "learned", .d_model = 8, .angle_scale = 2},
                std::nullopt, "FIELD_OF_ANOTHER_KIND", "encoding.angle_scale");
}

TEST(ResolveSpec, RefusesOddWidthsWhereTheProfileDoes) {
  ExpectInvalid({.profile = "pytorch", .d_model = 7}, std::nullopt,
                "ODD_D_MODEL", "d_model is 7");
  EXPECT_TRUE(ResolveSpec({.profile = "pytorch",
                           .d_model = 7,
                           .odd_dimension = OddDimension::kDropCos},
                          std::nullopt)
                  .ok());
}

TEST(ResolveSpec, RefusesWhatCannotBe) {
  ExpectInvalid({.d_model = 8, .start = kMaxStart + 1}, std::nullopt,
                "START_OUT_OF_BOUNDS", "encoding.start is 1000000001");
  ExpectInvalid({.d_model = 8, .max_positions = 0}, std::nullopt,
                "MAX_POSITIONS_ZERO", "max_positions is 0");
  ExpectInvalid({.d_model = 8,
                 .embedding_scale = EmbeddingScale::kOne,
                 .embedding_factor = 2},
                std::nullopt, "CONTRADICTORY_FIELDS", "both set");
  ExpectInvalid({.d_model = 8,
                 .embedding_factor = std::numeric_limits<double>::infinity()},
                std::nullopt, "NON_FINITE", "embedding_factor is inf");
}

TEST(EncodingSpec, ScalesRows) {
  EncodingSpec spec{.d_model = 8};
  EXPECT_EQ(spec.RowFactor(), 1);
  spec.encoding_scale = EncodingScale::kInverseSqrtDModel;
  EXPECT_EQ(spec.RowFactor(), std::sqrt(0.125));
  spec.encoding_scale = EncodingScale::kSqrtTwoOverDModel;
  EXPECT_EQ(spec.RowFactor(), 0.5);
  spec.encoding_factor = -3;
  EXPECT_EQ(spec.RowFactor(), -3);
}

TEST(EncodingSpec, ScalesTokenIdsWhereTheLibraryDoesInItsModel) {
  EncodingSpec spec{.d_model = 384,
                    .embedding_scale = EmbeddingScale::kSqrtDModelForTokenIds};
  EXPECT_EQ(spec.ScaleOf(/*token_ids=*/true), std::sqrt(384.0));
  EXPECT_EQ(spec.ScaleOf(/*token_ids=*/false), 1);
  spec.embedding_scale = EmbeddingScale::kSqrtDModel;
  EXPECT_EQ(spec.ScaleOf(/*token_ids=*/false), std::sqrt(384.0));
  spec.embedding_factor = 0.5;
  EXPECT_EQ(spec.ScaleOf(/*token_ids=*/true), 0.5);
}

}  // namespace
}  // namespace posenc::server
