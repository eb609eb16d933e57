#include <filesystem>

#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kPngMagic[] = "\x89PNG\r\n\x1a\n";

class EncodingPlotTest : public CliTest {
 protected:
  void SetUp() override {
    // The default file goes where the command runs.
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(scratch_.Path("."));
  }
  void TearDown() override { std::filesystem::current_path(before_); }

  void ExpectGet(
      posenc::EncodingKind kind = posenc::EncodingKind::kSinusoidal,
      std::function<void(const posenc::GetEncodingParams&)> look =
          [](const posenc::GetEncodingParams&) {}) {
    EXPECT_CALL(*connection_, GetEncoding)
        .WillOnce([kind, look](const posenc::GetEncodingParams& params)
                      -> absl::StatusOr<posenc::GetEncodingResult> {
          look(params);
          posenc::GetEncodingResult result;
          result.encoding.d_model = 2;
          result.encoding.kind = kind;
          result.rows = MakeTensor<float>({0, 0.5F, -0.25F, 0.125F}, {2, 2});
          return result;
        });
  }

  std::filesystem::path before_;
};

TEST_F(EncodingPlotTest, WritesThePicture) {
  const std::string out = scratch_.Path("map.png");
  ExpectGet(posenc::EncodingKind::kSinusoidal,
            [](const posenc::GetEncodingParams& params) {
              EXPECT_EQ(params.encoding.d_model, 2u);
              EXPECT_EQ(params.first_position, 10);
              EXPECT_EQ(params.position_count, 2u);
            });
  const Run run = RunPosenc({"encoding", "plot", "--d-model", "2", "--from",
                             "10", "--count", "2", "-o", out});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.out, HasSubstr("written to    " + out));
  EXPECT_EQ(ReadFile(out).substr(0, 8), kPngMagic);
}

TEST_F(EncodingPlotTest, HasADefaultFileAndCount) {
  ExpectGet(posenc::EncodingKind::kSinusoidal,
            [](const posenc::GetEncodingParams& params) {
              EXPECT_EQ(params.position_count, 128u);
            });
  const Run run = RunPosenc({"encoding", "plot", "--d-model", "2"});
  EXPECT_THAT(run.out, HasSubstr("written to    posenc-encoding.png"));
  EXPECT_THAT(run.out, Not(HasSubstr("▀")));
  EXPECT_EQ(ReadFile(scratch_.Path("posenc-encoding.png")).substr(0, 8),
            kPngMagic);
}

TEST_F(EncodingPlotTest, DrawsInATrueColourTerminalInstead) {
  terminal_.true_color = true;
  ExpectGet();
  const Run run = RunPosenc({"encoding", "plot", "--d-model", "2"});
  EXPECT_THAT(run.out, HasSubstr("▀"));
  EXPECT_FALSE(std::filesystem::exists("posenc-encoding.png"));
}

TEST_F(EncodingPlotTest, DrawsAndWritesWhenAskedForBoth) {
  terminal_.true_color = true;
  ExpectGet();
  const Run run =
      RunPosenc({"encoding", "plot", "--d-model", "2", "-o", "map.png"});
  EXPECT_THAT(run.out, HasSubstr("▀"));
  EXPECT_TRUE(std::filesystem::exists("map.png"));
}

TEST_F(EncodingPlotTest, ColorGoesBeforeTheTerminal) {
  ExpectGet();
  EXPECT_THAT(
      RunPosenc({"encoding", "plot", "--d-model", "2", "--color", "always"})
          .out,
      HasSubstr("▀"));
  terminal_.true_color = true;
  ExpectGet();
  EXPECT_THAT(
      RunPosenc({"encoding", "plot", "--d-model", "2", "--color", "never"}).out,
      Not(HasSubstr("▀")));
}

TEST_F(EncodingPlotTest, LearnedRowsSetTheirOwnRange) {
  ExpectGet(posenc::EncodingKind::kLearned);
  EXPECT_THAT(RunPosenc({"encoding", "plot", "--d-model", "2"}).out,
              HasSubstr("blue -0.5, white 0, red 0.5"));
  ExpectGet();
  EXPECT_THAT(RunPosenc({"encoding", "plot", "--d-model", "2"}).out,
              HasSubstr("blue -1, white 0, red 1"));
}

TEST_F(EncodingPlotTest, AnswersInJson) {
  terminal_.true_color = true;
  ExpectGet();
  const Json answer =
      RunPosenc({"encoding", "plot", "--d-model", "2", "--json"}).json();
  EXPECT_EQ(answer["file"], "posenc-encoding.png");
  EXPECT_EQ(answer["shape"], Json::array({2, 2}));
  EXPECT_EQ(answer["range"], 1.0);
  EXPECT_GT(answer["width"], 64);
}

TEST_F(EncodingPlotTest, RefusesAPictureThatIsTooLarge) {
  for (const char* count : {"16777217", "18446744073709551615"}) {
    const Run run =
        RunPosenc({"encoding", "plot", "--d-model", "8", "--count", count});
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, HasSubstr("has over 16777216 values"));
  }
  EXPECT_EQ(connects_, 0);
}

}  // namespace
}  // namespace posenc::cli
