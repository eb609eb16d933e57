#include "client/cli/encode_input.h"

#include "client/cli/elements.h"
#include "client/cli/exit_code.h"
#include "client/cli/npy.h"
#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Input = posenc::EncodeParams::Input;

constexpr InputLayout kBatch = {};
constexpr InputLayout kPacked = {.packed = true};
constexpr InputLayout kSequenceFirst = {
    .batch = posenc::BatchLayout::kSequenceFirst};

absl::StatusOr<EncodeInput> Read(const std::vector<std::string>& arguments,
                                 const InputLayout& layout) {
  EncodeInputOptions options;
  EXPECT_EQ(Parse(options, arguments), "");
  return options.Read(layout);
}

TEST(EncodeInputTest, OneListOfIdsIsABatchOfOne) {
  const auto input = Read({"--ids", "101,1996,102"}, kBatch);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->kind, Input::kTokenIds);
  EXPECT_EQ(input->tensor.shape, (posenc::Shape{1, 3}));
  EXPECT_THAT(Values<std::int64_t>(ViewOf(input->tensor)),
              ElementsAre(101, 1996, 102));
  EXPECT_FALSE(input->lengths);
}

TEST(EncodeInputTest, EqualListsNeedNoLengths) {
  const auto input = Read({"--ids", "1,2", "--ids", "3,4"}, kBatch);
  EXPECT_EQ(input->tensor.shape, (posenc::Shape{2, 2}));
  EXPECT_FALSE(input->lengths);
}

TEST(EncodeInputTest, UnequalListsArePadded) {
  const auto input =
      Read({"--ids", "1,2,3", "--ids", "4", "--pad-id", "9"}, kBatch);
  EXPECT_EQ(input->tensor.shape, (posenc::Shape{2, 3}));
  EXPECT_THAT(Values<std::int64_t>(ViewOf(input->tensor)),
              ElementsAre(1, 2, 3, 4, 9, 9));
  ASSERT_TRUE(input->lengths);
  EXPECT_THAT(Values<std::int64_t>(ViewOf(*input->lengths)), ElementsAre(3, 1));
}

TEST(EncodeInputTest, SequenceFirstTransposesTheLists) {
  const auto input = Read({"--ids", "1,2,3", "--ids", "4"}, kSequenceFirst);
  EXPECT_EQ(input->tensor.shape, (posenc::Shape{3, 2}));
  EXPECT_THAT(Values<std::int64_t>(ViewOf(input->tensor)),
              ElementsAre(1, 4, 2, 0, 3, 0));
}

TEST(EncodeInputTest, PackedJoinsTheLists) {
  const auto input = Read({"--ids", "1,2,3", "--ids", "4"}, kPacked);
  EXPECT_EQ(input->tensor.shape, posenc::Shape{4});
  EXPECT_FALSE(input->lengths);
}

TEST(EncodeInputTest, IdsDoNotSwallowTheWordAfterThem) {
  EncodeInputOptions options;
  EXPECT_THAT(Parse(options, {"--ids", "1,2", "in.npy"}),
              HasSubstr("excludes"));
}

TEST(EncodeInputTest, IntegerFilesAreTokenIds) {
  const ScratchDirectory scratch;
  const std::vector<std::int32_t> ids = {7, 8, 9};
  const std::string path = scratch.Path("ids.npy");
  ASSERT_TRUE(WriteNpy(path, {std::span(ids), {3}}).ok());
  const auto batch = Read({path}, kBatch);
  EXPECT_EQ(batch->kind, Input::kTokenIds);
  EXPECT_EQ(batch->tensor.dtype, posenc::DType::kInt32);
  EXPECT_EQ(batch->tensor.shape, (posenc::Shape{1, 3}));
  EXPECT_EQ(Read({path}, kSequenceFirst)->tensor.shape, (posenc::Shape{3, 1}));
  EXPECT_EQ(Read({path}, kPacked)->tensor.shape, posenc::Shape{3});
}

TEST(EncodeInputTest, OtherFilesAreEmbeddings) {
  const ScratchDirectory scratch;
  const std::vector<float> values(12);
  const std::string path = scratch.Path("x.npy");
  ASSERT_TRUE(WriteNpy(path, {std::span(values), {2, 3, 2}}).ok());
  const auto input = Read({path}, kBatch);
  EXPECT_EQ(input->kind, Input::kEmbeddings);
  EXPECT_EQ(input->tensor.shape, (posenc::Shape{2, 3, 2}));
}

TEST(EncodeInputTest, UInt16IsBFloat16WhenAskedFor) {
  const ScratchDirectory scratch;
  const std::vector<std::uint16_t> bits(2);
  const std::string path = scratch.Path("b.npy");
  ASSERT_TRUE(WriteNpy(path, {posenc::DType::kBFloat16,
                              {1, 1, 2},
                              std::as_bytes(std::span(bits))})
                  .ok());
  const auto input = Read({path, "--input-dtype", "bfloat16"}, kBatch);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->tensor.dtype, posenc::DType::kBFloat16);
  EXPECT_EQ(ExitCodeFor(Read({path}, kBatch).status()), ExitCode::kUsage);
}

TEST(EncodeInputTest, BadInputIsALocalError) {
  EXPECT_THAT(std::string(Read({}, kBatch).status().message()),
              HasSubstr("nothing to encode"));
  const auto bad = Read({"--ids", "1,x"}, kBatch);
  EXPECT_EQ(ExitCodeFor(bad.status()), ExitCode::kUsage);
  EXPECT_THAT(std::string(bad.status().message()),
              HasSubstr("--ids: 'x' in '1,x'"));
}

}  // namespace
}  // namespace posenc::cli
