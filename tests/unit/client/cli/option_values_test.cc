#include "client/cli/option_values.h"

#include "client/cli/exit_code.h"
#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(OptionValuesTest, ParsesLists) {
  EXPECT_THAT(*ParseIntegers("5"), ElementsAre(5));
  EXPECT_THAT(*ParseIntegers("101,-3,9223372036854775807"),
              ElementsAre(101, -3, INT64_MAX));
  EXPECT_THAT(*ParseNumbers("0,1,2.5,-1e3"), ElementsAre(0, 1, 2.5, -1000));
}

TEST(OptionValuesTest, RefusesWhatIsNoList) {
  for (const char* text :
       {"", ",", "1,,2", "1,", "x", "1.5", "0x10", "9223372036854775808"}) {
    const auto integers = ParseIntegers(text);
    EXPECT_EQ(ExitCodeFor(integers.status()), ExitCode::kUsage) << text;
  }
  for (const char* text : {"", "1,,2", "x", "nan", "1,inf", "1e999"}) {
    const auto numbers = ParseNumbers(text);
    EXPECT_EQ(ExitCodeFor(numbers.status()), ExitCode::kUsage) << text;
  }
  EXPECT_THAT(std::string(ParseIntegers("1,two,3").status().message()),
              HasSubstr("'two' in '1,two,3' is not an integer"));
}

struct SomeOptions {
  std::optional<std::uint32_t> size;
  std::optional<std::int64_t> place;
  std::optional<double> base;
  std::optional<posenc::DType> dtype;

  void AddTo(CLI::App& app) {
    AddInteger(app, "--size", &size, "");
    AddInteger(app, "--place", &place, "");
    AddNumber(app, "--base", &base, "");
    AddChoice(app, "--dtype", kFloatTypes, &dtype, "");
  }
};

TEST(OptionValuesTest, ReadsOptions) {
  SomeOptions options;
  EXPECT_EQ(Parse(options, {"--size", "010", "--place", "-5", "--base", "1e4",
                            "--dtype", "BFloat16"}),
            "");
  EXPECT_EQ(options.size, 10u);
  EXPECT_EQ(options.place, -5);
  EXPECT_EQ(options.base, 1e4);
  EXPECT_EQ(options.dtype, posenc::DType::kBFloat16);
}

TEST(OptionValuesTest, NamesOptionAndValueInErrors) {
  SomeOptions options;
  EXPECT_THAT(Parse(options, {"--size", "-1"}),
              HasSubstr("--size takes an integer of 32 bits without a sign, "
                        "not '-1'"));
  EXPECT_THAT(Parse(options, {"--size", "4294967296"}),
              HasSubstr("not '4294967296'"));
  EXPECT_THAT(Parse(options, {"--place", "1.5"}),
              HasSubstr("--place takes an integer of 64 bits, not '1.5'"));
  EXPECT_THAT(Parse(options, {"--base", "ten"}),
              HasSubstr("--base takes a number, not 'ten'"));
  EXPECT_THAT(Parse(options, {"--dtype", "int8"}),
              HasSubstr("--dtype takes float32|float16|bfloat16|float64, not "
                        "'int8'"));
}

TEST(OptionValuesTest, WordsAreTheSameInEverySpelling) {
  EXPECT_EQ(NormalWord("SIN_COS"), "sin-cos");
  EXPECT_EQ(NormalWord("sin-cos"), "sin-cos");
}

}  // namespace
}  // namespace posenc::cli
