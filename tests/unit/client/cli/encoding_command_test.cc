#include <cmath>

#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::Return;

class EncodingShowTest : public CliTest {
 protected:
  static posenc::EncodingDescription Description(std::size_t frequencies) {
    posenc::EncodingDescription description;
    description.encoding.d_model = static_cast<std::uint32_t>(2 * frequencies);
    description.operation = "add";
    for (std::size_t i = 0; i < frequencies; ++i) {
      description.frequencies.push_back(std::ldexp(1, -static_cast<int>(i)));
      description.wavelengths.push_back(std::ldexp(6, static_cast<int>(i)));
    }
    description.max_error = 2.5e-8;
    description.positions_searched = 65536;
    description.first_position = -1000000000;
    description.last_position = 1000000000;
    return description;
  }
};

TEST_F(EncodingShowTest, ShowsWhatASpecMeans) {
  EXPECT_CALL(*connection_, DescribeEncoding)
      .WillOnce([](const posenc::DescribeEncodingParams& params)
                    -> absl::StatusOr<posenc::EncodingDescription> {
        EXPECT_EQ(params.encoding.d_model, 4u);
        EXPECT_EQ(params.dtype, posenc::DType::kFloat32);
        EXPECT_FALSE(params.collision_search_positions);
        return Description(2);
      });
  const Run run = RunPosenc({"encoding", "show", "--d-model", "4"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out,
            "encoding      {\"dModel\":4}\n"
            "operation     add\n"
            "positions     -1000000000 … 1000000000\n"
            "largest error 2.5e-08 in FLOAT32\n"
            "equal rows    none in the first 65536 positions\n"
            "\n"
            "i  frequency  wavelength\n"
            "0          1           6\n"
            "1        0.5          12\n");
}

TEST_F(EncodingShowTest, ShortensALongTable) {
  EXPECT_CALL(*connection_, DescribeEncoding).WillOnce(Return(Description(40)));
  const Run run = RunPosenc({"encoding", "show", "--d-model", "80"});
  for (const char* line : {"\n7 ", "\n… ", "\n36 ", "\n39 "}) {
    EXPECT_THAT(run.out, HasSubstr(line));
  }
  for (const char* line : {"\n8 ", "\n35 "}) {
    EXPECT_THAT(run.out, Not(HasSubstr(line)));
  }
}

TEST_F(EncodingShowTest, ShowsAMediumTableInFull) {
  EXPECT_CALL(*connection_, DescribeEncoding).WillOnce(Return(Description(12)));
  const Run run = RunPosenc({"encoding", "show", "--d-model", "24"});
  EXPECT_THAT(run.out, HasSubstr("\n8 "));
  EXPECT_THAT(run.out, Not(HasSubstr("\n… ")));
}

TEST_F(EncodingShowTest, ShowsACollision) {
  EXPECT_CALL(*connection_, DescribeEncoding)
      .WillOnce([](const posenc::DescribeEncodingParams& params)
                    -> absl::StatusOr<posenc::EncodingDescription> {
        EXPECT_EQ(params.dtype, posenc::DType::kBFloat16);
        EXPECT_EQ(params.collision_search_positions, 1000u);
        posenc::EncodingDescription description = Description(1);
        description.dtype = params.dtype;
        description.first_collision = 44;
        description.collides_with = 0;
        return description;
      });
  const Run run = RunPosenc({"encoding", "show", "--d-model", "2", "--dtype",
                             "bfloat16", "--search", "1000"});
  EXPECT_THAT(run.out,
              HasSubstr("equal rows    position 44 equals 0 in BFLOAT16\n"));
}

TEST_F(EncodingShowTest, AnswersInJson) {
  EXPECT_CALL(*connection_, DescribeEncoding).WillOnce(Return(Description(2)));
  const Run run = RunPosenc({"encoding", "show", "--d-model", "4", "--json"});
  EXPECT_EQ(run.json(), Json::parse(R"({
    "encoding": {"dModel": 4}, "operation": "add",
    "first_position": -1000000000, "last_position": 1000000000,
    "dtype": "FLOAT32", "max_error": 2.5e-8, "positions_searched": 65536,
    "frequencies": [1.0, 0.5], "wavelengths": [6.0, 12.0]})"));
}

}  // namespace
}  // namespace posenc::cli
