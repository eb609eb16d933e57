#include "client/cli/elements.h"
#include "client/cli/npy.h"
#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class EncodingGetTest : public CliTest {
 protected:
  void ExpectGet(std::function<void(const posenc::GetEncodingParams&)> look) {
    EXPECT_CALL(*connection_, GetEncoding)
        .WillOnce([look](const posenc::GetEncodingParams& params)
                      -> absl::StatusOr<posenc::GetEncodingResult> {
          look(params);
          posenc::GetEncodingResult result;
          result.encoding.d_model = 2;
          result.rows = MakeTensor<float>({0, 1, 0.25F, 0.5F}, {2, 2});
          return result;
        });
  }
};

TEST_F(EncodingGetTest, GetsARange) {
  ExpectGet([](const posenc::GetEncodingParams& params) {
    EXPECT_EQ(params.encoding.d_model, 2u);
    EXPECT_EQ(params.first_position, -5);
    EXPECT_EQ(params.position_count, 2u);
    EXPECT_FALSE(params.positions);
    EXPECT_EQ(params.dtype, posenc::DType::kFloat16);
  });
  const Run run = RunPosenc({"encoding", "get", "--d-model", "2", "--from",
                             "-5", "--count", "2", "--dtype", "float16"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out,
            "encoding      {\"dModel\":2}\n"
            "rows          FLOAT32 [2, 2]\n"
            "[[0.000000  1.000000]\n"
            " [0.250000  0.500000]]\n");
}

TEST_F(EncodingGetTest, GetsPositions) {
  ExpectGet([](const posenc::GetEncodingParams& params) {
    ASSERT_TRUE(params.positions);
    EXPECT_THAT(Values<double>(*params.positions), ElementsAre(0, 2.5));
    EXPECT_EQ(params.position_count, 0u);
  });
  EXPECT_EQ(
      RunPosenc({"encoding", "get", "--d-model", "2", "--positions", "0,2.5"})
          .code,
      0);
}

TEST_F(EncodingGetTest, AnswersInJson) {
  ExpectGet([](const posenc::GetEncodingParams&) {});
  const Run run = RunPosenc(
      {"encoding", "get", "--d-model", "2", "--count", "2", "--json"});
  EXPECT_EQ(run.json(), Json::parse(R"({
    "encoding": {"dModel": 2}, "dtype": "FLOAT32", "shape": [2, 2],
    "values": [[0.0, 1.0], [0.25, 0.5]]})"));
}

TEST_F(EncodingGetTest, WritesAFile) {
  const std::string out = scratch_.Path("rows.npy");
  ExpectGet([](const posenc::GetEncodingParams&) {});
  const Run run = RunPosenc(
      {"encoding", "get", "--d-model", "2", "--count", "2", "-o", out});
  EXPECT_THAT(run.out, HasSubstr("written to    " + out));
  const auto written = ReadNpy(out);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_THAT(Values<float>(ViewOf(*written)), ElementsAre(0, 1, 0.25F, 0.5F));
}

TEST_F(EncodingGetTest, ShowsTheTransferOnATerminal) {
  terminal_.err_is_terminal = true;
  ExpectGet([](const posenc::GetEncodingParams& params) {
    params.call.progress(50 << 20, 100 << 20);
  });
  EXPECT_THAT(
      RunPosenc({"encoding", "get", "--d-model", "2", "--count", "2"}).err,
      HasSubstr("50 %  50.0 MiB of 100.0 MiB"));
}

TEST_F(EncodingGetTest, BadUsageIsFoundBeforeAnyCall) {
  EXPECT_THAT(RunPosenc({"encoding", "get", "--d-model", "2"}).err,
              HasSubstr("which positions?"));
  EXPECT_EQ(RunPosenc({"encoding", "get", "--count", "-1"}).code, 2);
  EXPECT_EQ(RunPosenc({"encoding", "get", "--positions", "x"}).code, 2);
  EXPECT_EQ(
      RunPosenc({"encoding", "get", "--positions", "1", "--count", "1"}).code,
      2);
  EXPECT_EQ(connects_, 0);
}

}  // namespace
}  // namespace posenc::cli
