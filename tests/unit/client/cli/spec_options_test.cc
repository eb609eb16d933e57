#include "client/cli/spec_options.h"

#include "client/cli/exit_code.h"
#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::HasSubstr;

posenc::EncodingSpec SpecOf(const std::vector<std::string>& arguments) {
  SpecOptions options;
  EXPECT_EQ(Parse(options, arguments), "");
  const auto spec = options.Spec();
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? *spec : posenc::EncodingSpec();
}

std::string SpecComplaint(const std::vector<std::string>& arguments) {
  SpecOptions options;
  return Parse(options, arguments);
}

TEST(SpecOptionsTest, NoOptionsLeaveEveryFieldOut) {
  SpecOptions options;
  EXPECT_EQ(Parse(options, {}), "");
  EXPECT_FALSE(options.given());
  const auto spec = options.Spec();
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(posenc::EncodingSpecToJson(*spec),
            posenc::EncodingSpecToJson(posenc::EncodingSpec()));
}

TEST(SpecOptionsTest, EachOptionSetsItsField) {
  const posenc::EncodingSpec spec = SpecOf({"--profile",
                                            "fairseq",
                                            "--d-model",
                                            "512",
                                            "--kind",
                                            "sinusoidal",
                                            "--base",
                                            "500.5",
                                            "--layout",
                                            "sin-cos",
                                            "--denominator",
                                            "half-floor-minus-one",
                                            "--odd-dimension",
                                            "zero-last",
                                            "--start",
                                            "-2",
                                            "--embedding-scale",
                                            "sqrt-d-model-for-token-ids",
                                            "--padding-rows",
                                            "zero",
                                            "--max-positions",
                                            "4096"});
  EXPECT_EQ(spec.profile, "fairseq");
  EXPECT_EQ(spec.d_model, 512u);
  EXPECT_EQ(spec.kind, posenc::EncodingKind::kSinusoidal);
  EXPECT_EQ(spec.base, 500.5);
  EXPECT_EQ(spec.layout, posenc::SinusoidLayout::kSinCos);
  EXPECT_EQ(spec.denominator, posenc::FrequencyDenominator::kHalfFloorMinusOne);
  EXPECT_EQ(spec.odd_dimension, posenc::OddDimension::kZeroLast);
  EXPECT_EQ(spec.start, -2);
  EXPECT_EQ(spec.embedding_scale,
            posenc::EmbeddingScale::kSqrtDModelForTokenIds);
  EXPECT_FALSE(spec.embedding_factor.has_value());
  EXPECT_EQ(spec.padding_rows, posenc::PaddingRows::kZero);
  EXPECT_EQ(spec.max_positions, 4096u);
  EXPECT_FALSE(spec.position_table.has_value());
}

TEST(SpecOptionsTest, EveryNameOfEveryChoice) {
  using posenc::EncodingKind;
  using posenc::FrequencyDenominator;
  using posenc::OddDimension;
  using posenc::SinusoidLayout;
  EXPECT_EQ(SpecOf({"--kind", "learned"}).kind, EncodingKind::kLearned);
  EXPECT_EQ(SpecOf({"--layout", "interleaved"}).layout,
            SinusoidLayout::kInterleaved);
  EXPECT_EQ(SpecOf({"--layout", "COS_SIN"}).layout, SinusoidLayout::kCosSin);
  EXPECT_EQ(SpecOf({"--denominator", "half"}).denominator,
            FrequencyDenominator::kHalf);
  EXPECT_EQ(SpecOf({"--denominator", "half-floor"}).denominator,
            FrequencyDenominator::kHalfFloor);
  EXPECT_EQ(SpecOf({"--denominator", "half-ceil"}).denominator,
            FrequencyDenominator::kHalfCeil);
  EXPECT_EQ(SpecOf({"--odd-dimension", "drop-cos"}).odd_dimension,
            OddDimension::kDropCos);
  EXPECT_EQ(SpecOf({"--odd-dimension", "reject"}).odd_dimension,
            OddDimension::kReject);
  EXPECT_EQ(SpecOf({"--padding-rows", "encode"}).padding_rows,
            posenc::PaddingRows::kEncode);
  EXPECT_EQ(SpecOf({"--position-table", "model/pos"}).position_table,
            "model/pos");
  EXPECT_EQ(SpecOf({"--angle-scale", "0.25"}).angle_scale, 0.25);
}

TEST(SpecOptionsTest, ScaleIsARuleOrANumber) {
  EXPECT_EQ(SpecOf({"--embedding-scale", "one"}).embedding_scale,
            posenc::EmbeddingScale::kOne);
  EXPECT_EQ(SpecOf({"--embedding-scale", "sqrt-d-model"}).embedding_scale,
            posenc::EmbeddingScale::kSqrtDModel);
  const posenc::EncodingSpec number = SpecOf({"--embedding-scale", "-0.5"});
  EXPECT_EQ(number.embedding_factor, -0.5);
  EXPECT_FALSE(number.embedding_scale.has_value());
  EXPECT_THAT(SpecComplaint({"--embedding-scale", "big"}),
              HasSubstr("--embedding-scale takes one|sqrt-d-model|"));
  EXPECT_THAT(SpecComplaint({"--embedding-scale", "inf"}), HasSubstr("'inf'"));
}

TEST(SpecOptionsTest, EncodingScaleIsARuleOrANumber) {
  EXPECT_EQ(SpecOf({"--encoding-scale", "inverse-sqrt-d-model"}).encoding_scale,
            posenc::EncodingScale::kInverseSqrtDModel);
  EXPECT_EQ(SpecOf({"--encoding-scale", "0.5"}).encoding_factor, 0.5);
  const posenc::EncodingSpec over =
      SpecOf({"--spec", R"({"encodingFactor": 3})", "--encoding-scale",
              "sqrt-two-over-d-model"});
  EXPECT_EQ(over.encoding_scale, posenc::EncodingScale::kSqrtTwoOverDModel);
  EXPECT_FALSE(over.encoding_factor.has_value());
}

TEST(SpecOptionsTest, BadValuesAreUsageErrors) {
  EXPECT_THAT(SpecComplaint({"--d-model", "-8"}), HasSubstr("--d-model"));
  EXPECT_THAT(SpecComplaint({"--d-model", "8.5"}), HasSubstr("'8.5'"));
  EXPECT_THAT(SpecComplaint({"--layout", "zigzag"}),
              HasSubstr("interleaved|sin-cos|cos-sin"));
  EXPECT_THAT(SpecComplaint({"--denominator"}), HasSubstr("--denominator"));
  EXPECT_THAT(SpecComplaint({"--max-positions", "-1"}), HasSubstr("'-1'"));
}

TEST(SpecOptionsTest, SpecIsJson) {
  const posenc::EncodingSpec spec =
      SpecOf({"--spec", R"({"profile": "fairseq", "dModel": 512})"});
  EXPECT_EQ(spec.profile, "fairseq");
  EXPECT_EQ(spec.d_model, 512u);
}

TEST(SpecOptionsTest, SpecIsAFile) {
  const ScratchDirectory scratch;
  const std::string path =
      scratch.Write("spec.json", R"({"layout": "SIN_COS", "dModel": 16})");
  const posenc::EncodingSpec spec = SpecOf({"--spec", "@" + path});
  EXPECT_EQ(spec.layout, posenc::SinusoidLayout::kSinCos);
  EXPECT_EQ(spec.d_model, 16u);
}

TEST(SpecOptionsTest, AnOptionGoesBeforeTheSpecsField) {
  const posenc::EncodingSpec spec =
      SpecOf({"--spec", R"({"profile": "fairseq", "dModel": 512, "base": 10})",
              "--d-model", "8", "--profile", "pytorch"});
  EXPECT_EQ(spec.profile, "pytorch");
  EXPECT_EQ(spec.d_model, 8u);
  EXPECT_EQ(spec.base, 10);
}

TEST(SpecOptionsTest, AScaleReplacesTheSpecsOther) {
  const posenc::EncodingSpec factor = SpecOf(
      {"--spec", R"({"embeddingScale": "ONE"})", "--embedding-scale", "3"});
  EXPECT_FALSE(factor.embedding_scale.has_value());
  EXPECT_EQ(factor.embedding_factor, 3);
  const posenc::EncodingSpec rule = SpecOf(
      {"--spec", R"({"embeddingFactor": 3})", "--embedding-scale", "one"});
  EXPECT_EQ(rule.embedding_scale, posenc::EmbeddingScale::kOne);
  EXPECT_FALSE(rule.embedding_factor.has_value());
}

TEST(SpecOptionsTest, BadSpecsAreLocalErrors) {
  const ScratchDirectory scratch;
  const std::string huge =
      scratch.Write("huge.json", std::string((1 << 20) + 1, ' '));
  for (const auto& [value, complaint] :
       std::vector<std::pair<std::string, std::string>>{
           {"{\"dModel\": ", "--spec: "},
           {"{\"unknown\": 1}", "--spec: "},
           {"@" + scratch.Path("none.json"), "cannot read"},
           {"@" + scratch.Path("."), "cannot read"},
           {"@" + huge, "is over 1048576 bytes"}}) {
    SpecOptions options;
    EXPECT_EQ(Parse(options, {"--spec", value}), "");
    EXPECT_TRUE(options.given());
    const auto spec = options.Spec();
    EXPECT_EQ(ExitCodeFor(spec.status()), ExitCode::kUsage) << value;
    EXPECT_THAT(std::string(spec.status().message()), HasSubstr(complaint));
  }
}

}  // namespace
}  // namespace posenc::cli
