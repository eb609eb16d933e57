#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::HasSubstr;

class DiffCommandTest : public CliTest {
 protected:
  // Answers for two sides, in their order.
  void Answer(const std::vector<float>& a, const std::vector<float>& b) {
    for (const std::vector<float>& values : {b, a}) {  // the last goes first
      EXPECT_CALL(*connection_, GetEncoding)
          .WillOnce([this, values](const posenc::GetEncodingParams& params)
                        -> absl::StatusOr<posenc::GetEncodingResult> {
            asked_.push_back(params);
            posenc::GetEncodingResult result;
            result.encoding = params.encoding;
            result.rows = MakeTensor(values, {2, values.size() / 2});
            return result;
          })
          .RetiresOnSaturation();
    }
  }

  std::vector<posenc::GetEncodingParams> asked_;
};

TEST_F(DiffCommandTest, AsksForBothSidesWithTheSameOptions) {
  Answer({1, 2, 3, 4}, {1, 2, 3, 4});
  const Run run = RunPosenc({"encoding", "diff", "marian",
                             R"({"base": 500.0, "start": 1})", "--d-model", "2",
                             "--start", "7", "--from", "-3", "--count", "2"});
  EXPECT_EQ(run.code, 0) << run.err;
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_EQ(asked_[0].encoding.profile, "marian");
  EXPECT_FALSE(asked_[0].encoding.base);
  EXPECT_FALSE(asked_[1].encoding.profile);
  EXPECT_EQ(asked_[1].encoding.base, 500);
  for (const posenc::GetEncodingParams& params : asked_) {
    EXPECT_EQ(params.encoding.d_model, 2u);
    EXPECT_EQ(params.encoding.start, 7);
    EXPECT_EQ(params.first_position, -3);
    EXPECT_EQ(params.position_count, 2u);
  }
  EXPECT_THAT(run.out, HasSubstr("profile  marian  –\n"));
  EXPECT_THAT(run.out, HasSubstr("base     –       500\n"));
  EXPECT_THAT(run.out, HasSubstr("0 of 4 elements, in 0 channels\n"));
}

TEST_F(DiffCommandTest, SaysWhereTheyPart) {
  Answer({1, 2, 3, 4}, {2, 1, 3, 4});
  const Run run = RunPosenc({"encoding", "diff", "a", "b", "--from", "5"});
  EXPECT_THAT(run.out, HasSubstr("2 of 4 elements, in 2 channels\n"));
  EXPECT_THAT(run.out, HasSubstr("position 5, channel 0: 1 and 2\n"));
  EXPECT_THAT(run.out, HasSubstr("reordered     yes\n"));
}

TEST_F(DiffCommandTest, AnswersInJson) {
  Answer({1, 2, 3, 4}, {1, 2, 3, 6});
  EXPECT_EQ(RunPosenc({"encoding", "diff", "a", "b", "--json"}).json(),
            Json::parse(R"({
    "fields": {"profile": ["a", "b"]}, "elements": 4, "different": 1,
    "different_channels": 1, "reordered": false,
    "first": {"position": 1, "channel": 1, "a": 4.0, "b": 6.0},
    "largest": {"position": 1, "channel": 1, "a": 4.0, "b": 6.0}})"));
}

TEST_F(DiffCommandTest, RowsOfDifferentSizesAreAnError) {
  Answer({1, 2, 3, 4}, {1, 2});
  const Run run = RunPosenc({"encoding", "diff", "a", "b"});
  EXPECT_NE(run.code, 0);
  EXPECT_THAT(run.err,
              HasSubstr("rows of A have 2 elements, but those of B 1"));
}

}  // namespace
}  // namespace posenc::cli
