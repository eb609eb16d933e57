#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::Return;

const posenc::TableInfo kWords = {.name = "model/words",
                                  .version = "v1",
                                  .dtype = posenc::DType::kFloat32,
                                  .rows = 3,
                                  .d_model = 2,
                                  .bytes = 24};

class TablesCommandTest : public CliTest {
 protected:
  // Answers with the rows asked for; row i is (3, 4) times i + 1.
  void ServeWords(std::vector<std::optional<std::uint64_t>>* asked) {
    EXPECT_CALL(*connection_, GetTable)
        .WillRepeatedly([asked](const posenc::GetTableParams& params)
                            -> absl::StatusOr<posenc::GetTableResult> {
          EXPECT_EQ(params.name, "model/words");
          EXPECT_EQ(params.first_row, 0u);
          asked->push_back(params.row_count);
          posenc::GetTableResult result;
          result.table = kWords;
          const std::uint64_t rows = params.row_count.value_or(3);
          if (rows == 0) return result;
          std::vector<float> values;
          for (std::uint64_t i = 1; i <= rows; ++i) {
            values.push_back(static_cast<float>(3 * i));
            values.push_back(static_cast<float>(4 * i));
          }
          result.rows = MakeTensor<float>(values, {rows, 2});
          return result;
        });
  }
};

TEST_F(TablesCommandTest, ListsTables) {
  posenc::TableInfo other = kWords;
  other.name = "b";
  other.dtype = posenc::DType::kBFloat16;
  other.rows = 30522;
  other.bytes = 2048;
  EXPECT_CALL(*connection_, ListTables)
      .WillRepeatedly(Return(std::vector<posenc::TableInfo>{other, kWords}));
  EXPECT_EQ(RunPosenc({"tables", "ls"}).out,
            "name         rows   d_model  dtype     size     version\n"
            "b            30522  2        BFLOAT16  2.0 KiB  v1\n"
            "model/words  3      2        FLOAT32   24 B     v1\n");
  EXPECT_EQ(RunPosenc({"tables", "ls", "--json"}).json()["tables"][1],
            Json::parse(R"({"name": "model/words", "version": "v1",
                            "dtype": "FLOAT32", "rows": 3, "d_model": 2,
                            "bytes": 24})"));
}

TEST_F(TablesCommandTest, SaysThatThereAreNone) {
  EXPECT_CALL(*connection_, ListTables)
      .WillOnce(Return(std::vector<posenc::TableInfo>()));
  const Run run = RunPosenc({"tables", "ls"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "the server holds no embedding tables\n");
}

TEST_F(TablesCommandTest, ShowsATableAndItsFirstRows) {
  std::vector<std::optional<std::uint64_t>> asked;
  ServeWords(&asked);
  const Run run = RunPosenc({"tables", "show", "model/words", "--rows", "2"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out,
            "table         model/words\n"
            "version       v1\n"
            "shape         [3, 2]\n"
            "dtype         FLOAT32\n"
            "size          24 B (24 B)\n"
            "row norms     5, 10\n"
            "first rows    [2, 2]\n"
            "[[3.000000  4.000000]\n"
            " [6.000000  8.000000]]\n");
  EXPECT_THAT(asked, testing::ElementsAre(0, 2));
}

TEST_F(TablesCommandTest, AsksForNoMoreRowsThanThereAre) {
  std::vector<std::optional<std::uint64_t>> asked;
  ServeWords(&asked);
  const Run run =
      RunPosenc({"tables", "show", "model/words", "--rows", "100", "--json"});
  EXPECT_THAT(asked, testing::ElementsAre(0, 3));
  EXPECT_EQ(run.json()["norms"], Json::array({5.0, 10.0, 15.0}));
  EXPECT_EQ(run.json()["values"][2], Json::array({9.0, 12.0}));
  EXPECT_EQ(run.json()["rows"], 3);
}

TEST_F(TablesCommandTest, ShowsATableWithoutRows) {
  std::vector<std::optional<std::uint64_t>> asked;
  ServeWords(&asked);
  const Run run =
      RunPosenc({"tables", "show", "model/words", "--rows", "0", "--json"});
  EXPECT_THAT(asked, testing::ElementsAre(0));
  EXPECT_EQ(run.json()["values"], Json::array());
}

TEST_F(TablesCommandTest, ShowNeedsAName) {
  EXPECT_EQ(RunPosenc({"tables", "show"}).code, 2);
  EXPECT_EQ(connects_, 0);
}

TEST_F(TablesCommandTest, PassesTheServersRefusalOn) {
  EXPECT_CALL(*connection_, GetTable)
      .WillOnce([](const posenc::GetTableParams&)
                    -> absl::StatusOr<posenc::GetTableResult> {
        return Refusal(absl::StatusCode::kNotFound, "no table 'x'",
                       "TABLE_NOT_FOUND");
      });
  const Run run = RunPosenc({"tables", "show", "x"});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.err, "error: no table 'x' (NOT_FOUND, TABLE_NOT_FOUND)\n");
}

}  // namespace
}  // namespace posenc::cli
