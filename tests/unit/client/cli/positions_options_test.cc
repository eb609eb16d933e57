#include "client/cli/positions_options.h"

#include "client/cli/exit_code.h"
#include "client/cli/npy.h"
#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PositionArrays Read(const std::vector<std::string>& arguments) {
  PositionsOptions options;
  EXPECT_EQ(Parse(options, arguments), "");
  auto arrays = options.Read();
  EXPECT_TRUE(arrays.ok()) << arrays.status();
  return arrays.ok() ? *std::move(arrays) : PositionArrays();
}

std::string PositionsComplaint(const std::vector<std::string>& arguments) {
  PositionsOptions options;
  return Parse(options, arguments);
}

TEST(PositionsOptionsTest, NothingIsTheDefault) {
  const PositionArrays arrays = Read({});
  const posenc::Positions positions = arrays.View();
  EXPECT_FALSE(positions.offset || positions.values ||
               positions.padded_lengths || positions.packed_lengths);
}

TEST(PositionsOptionsTest, IntegersAreInt64) {
  const PositionArrays arrays = Read({"--positions", "-3,0,7"});
  const posenc::Positions positions = arrays.View();
  ASSERT_TRUE(positions.values);
  EXPECT_EQ(positions.values->shape, posenc::Shape{3});
  EXPECT_THAT(Values<std::int64_t>(*positions.values), ElementsAre(-3, 0, 7));
}

TEST(PositionsOptionsTest, OtherNumbersAreFloat64) {
  const PositionArrays arrays = Read({"--positions", "0,1,2.5"});
  EXPECT_THAT(Values<double>(*arrays.View().values), ElementsAre(0, 1, 2.5));
}

TEST(PositionsOptionsTest, AFileIsReadAsItIs) {
  const ScratchDirectory scratch;
  const std::vector<std::int32_t> values = {4, 5, 6, 7};
  ASSERT_TRUE(
      WriteNpy(scratch.Path("p.npy"), {std::span(values), {2, 2}}).ok());
  const PositionArrays arrays = Read({"--positions", scratch.Path("p.npy")});
  EXPECT_EQ(arrays.View().values->shape, (posenc::Shape{2, 2}));
  EXPECT_THAT(Values<std::int32_t>(*arrays.View().values),
              ElementsAre(4, 5, 6, 7));
}

TEST(PositionsOptionsTest, OffsetStandsBesideLengths) {
  const PositionArrays arrays = Read({"--offset", "-9", "--lengths", "12,16"});
  EXPECT_EQ(arrays.View().offset, -9);
  EXPECT_THAT(Values<std::int64_t>(*arrays.View().padded_lengths),
              ElementsAre(12, 16));
}

TEST(PositionsOptionsTest, PackedLengths) {
  PositionsOptions options;
  EXPECT_EQ(Parse(options, {"--packed", "12,16,22"}), "");
  EXPECT_TRUE(options.packed());
  EXPECT_THAT(Values<std::int64_t>(*options.Read()->View().packed_lengths),
              ElementsAre(12, 16, 22));
}

TEST(PositionsOptionsTest, MasksPaddingIdsAndStrides) {
  const ScratchDirectory scratch;
  const std::vector<std::int64_t> mask = {0, 1};
  ASSERT_TRUE(WriteNpy(scratch.Path("m.npy"), {std::span(mask), {1, 2}}).ok());
  const PositionArrays masked = Read({"--mask", scratch.Path("m.npy")});
  EXPECT_THAT(Values<std::int64_t>(*masked.View().attention_mask),
              ElementsAre(0, 1));
  EXPECT_EQ(Read({"--padding-id", "-1"}).View().padding_id, -1);
  EXPECT_EQ(Read({"--stride", "0.5"}).View().stride, 0.5);
}

TEST(PositionsOptionsTest, SchemesExcludeEachOther) {
  EXPECT_THAT(PositionsComplaint({"--padding-id", "1", "--lengths", "1"}),
              HasSubstr("excludes"));
  EXPECT_THAT(PositionsComplaint({"--positions", "1", "--stride", "2"}),
              HasSubstr("excludes"));
  EXPECT_THAT(PositionsComplaint({"--positions", "1", "--offset", "1"}),
              HasSubstr("excludes"));
  EXPECT_THAT(PositionsComplaint({"--positions", "1", "--lengths", "1"}),
              HasSubstr("excludes"));
  EXPECT_THAT(PositionsComplaint({"--positions", "1", "--packed", "1"}),
              HasSubstr("excludes"));
  EXPECT_THAT(PositionsComplaint({"--lengths", "1", "--packed", "1"}),
              HasSubstr("excludes"));
}

TEST(PositionsOptionsTest, BadValuesAreLocalErrors) {
  for (const auto& [arguments, complaint] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--positions", "1,two"}, "--positions: 'two' in '1,two'"},
           {{"--lengths", "1.5"}, "--lengths: '1.5' in '1.5'"},
           {{"--packed", "1,"}, "--packed: '' in '1,'"},
           {{"--lengths", "none.npy"}, "'none.npy': No such file"}}) {
    PositionsOptions options;
    EXPECT_EQ(Parse(options, arguments), "");
    const auto arrays = options.Read();
    EXPECT_EQ(ExitCodeFor(arrays.status()), ExitCode::kUsage);
    EXPECT_THAT(std::string(arrays.status().message()), HasSubstr(complaint));
  }
}

}  // namespace
}  // namespace posenc::cli
