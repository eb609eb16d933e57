#include "server/core/positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/core/encodings/sinusoidal.h"
#include "tests/support/tensor_bytes.h"

namespace posenc::server {
namespace {

using ::posenc::testing::View;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;
using Scheme = PositionFields::Scheme;

constexpr BatchShape kTwoByThree{.batch = 2, .sequence = 3};
constexpr BatchShape kThreeByTwo{
    .batch = 2, .sequence = 3, .layout = BatchLayout::kSequenceFirst};

PositionList Resolve(const PositionFields& fields, const BatchShape& batch,
                     PaddingRows padding = PaddingRows::kEncode) {
  auto list = ResolvePositions(fields, batch, padding);
  EXPECT_TRUE(list.ok()) << list.status();
  return list.ok() ? *std::move(list) : PositionList{};
}

void ExpectInvalid(const PositionFields& fields, const BatchShape& batch,
                   const std::string& reason, const std::string& message) {
  const auto list = ResolvePositions(fields, batch, PaddingRows::kEncode);
  ASSERT_FALSE(list.ok());
  EXPECT_EQ(list.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(list.status()), reason);
  EXPECT_THAT(std::string(list.status().message()), HasSubstr(message));
}

// The position of each output row.
std::vector<double> Expand(const PositionList& list, std::uint64_t rows) {
  std::vector<double> all;
  for (std::uint64_t r = 0; r < rows; ++r) {
    all.push_back(list.values[r / list.run % list.values.size()]);
  }
  return all;
}

TEST(ResolvePositions, CountsAlongTheSequence) {
  EXPECT_THAT(Expand(Resolve({}, kTwoByThree), 6),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(Expand(Resolve({}, kThreeByTwo), 6),
              ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST(ResolvePositions, GoesOnFromAnOffset) {
  EXPECT_THAT(Expand(Resolve({.offset = -1}, kTwoByThree), 6),
              ElementsAre(-1, 0, 1, -1, 0, 1));
}

TEST(ResolvePositions, TakesValuesForTheWholeBatchOrEachToken) {
  const std::vector<double> shared = {5, 0.5, 5};
  const PositionFields one{.scheme = Scheme::kValues,
                           .tensor = View(DType::kFloat64, {3}, shared)};
  EXPECT_THAT(Expand(Resolve(one, kTwoByThree), 6),
              ElementsAre(5, 0.5, 5, 5, 0.5, 5));
  EXPECT_THAT(Expand(Resolve(one, kThreeByTwo), 6),
              ElementsAre(5, 5, 0.5, 0.5, 5, 5));
  const std::vector<std::int32_t> each = {9, 8, 7, 6, 5, 4};
  EXPECT_THAT(Expand(Resolve({.scheme = Scheme::kValues,
                              .tensor = View(DType::kInt32, {2, 3}, each)},
                             kTwoByThree),
                     6),
              ElementsAre(9, 8, 7, 6, 5, 4));
  EXPECT_THAT(Expand(Resolve({.scheme = Scheme::kValues,
                              .tensor = View(DType::kInt32, {3, 2}, each)},
                             kThreeByTwo),
                     6),
              ElementsAre(9, 8, 7, 6, 5, 4));
}

TEST(ResolvePositions, RefusesValuesOfAnotherShape) {
  const std::vector<std::int32_t> six(6);
  ExpectInvalid(
      {.scheme = Scheme::kValues, .tensor = View(DType::kInt32, {3, 2}, six)},
      kTwoByThree, "POSITIONS_SHAPE",
      "positions.values are [3,2], but must be [3] or [2,3]");
  ExpectInvalid({.offset = 0,
                 .scheme = Scheme::kValues,
                 .tensor = View(DType::kInt32, {2, 3}, six)},
                kTwoByThree, "CONTRADICTORY_FIELDS", "both set");
}

TEST(ResolvePositions, PaddedLengthsLeaveOutPaddingWhereTheSpecSaysSo) {
  const std::vector<std::int32_t> lengths = {1, 3};
  const PositionFields fields{.offset = 10,
                              .scheme = Scheme::kPaddedLengths,
                              .tensor = View(DType::kInt32, {2}, lengths)};
  EXPECT_THAT(Expand(Resolve(fields, kTwoByThree), 6),
              ElementsAre(10, 11, 12, 10, 11, 12));
  EXPECT_THAT(Expand(Resolve(fields, kTwoByThree, PaddingRows::kZero), 6),
              ElementsAre(10, IsNan(), IsNan(), 10, 11, 12));
  EXPECT_THAT(Expand(Resolve(fields, kThreeByTwo, PaddingRows::kZero), 6),
              ElementsAre(10, 10, IsNan(), 11, IsNan(), 12));
}

TEST(ResolvePositions, RefusesPaddedLengthsThatDoNotFit) {
  const std::vector<std::int32_t> long_one = {1, 4};
  ExpectInvalid({.scheme = Scheme::kPaddedLengths,
                 .tensor = View(DType::kInt32, {2}, long_one)},
                kTwoByThree, "LENGTH_OUT_OF_BOUNDS",
                "has 4 at index 1, but a length is 0 to 3");
  const std::vector<std::int32_t> negative = {-1, 3};
  ExpectInvalid({.scheme = Scheme::kPaddedLengths,
                 .tensor = View(DType::kInt32, {2}, negative)},
                kTwoByThree, "LENGTH_OUT_OF_BOUNDS", "has -1 at index 0");
  const std::vector<std::int32_t> three = {1, 1, 1};
  ExpectInvalid({.scheme = Scheme::kPaddedLengths,
                 .tensor = View(DType::kInt32, {3}, three)},
                kTwoByThree, "LENGTHS_SHAPE",
                "has 3 lengths, but the batch has 2 sequences");
}

TEST(ResolvePositions, PackedSequencesStartAnew) {
  const std::vector<std::int64_t> lengths = {2, 0, 3};
  const PositionFields fields{.scheme = Scheme::kPackedLengths,
                              .tensor = View(DType::kInt64, {3}, lengths)};
  EXPECT_TRUE(IsPacked(fields));
  EXPECT_THAT(Expand(Resolve(fields, {.batch = 1, .sequence = 5}), 5),
              ElementsAre(0, 1, 0, 1, 2));
}

TEST(ResolvePositions, RefusesPackedLengthsThatDoNotAddUp) {
  const std::vector<std::int64_t> lengths = {2, 2};
  ExpectInvalid({.scheme = Scheme::kPackedLengths,
                 .tensor = View(DType::kInt64, {2}, lengths)},
                {.batch = 1, .sequence = 5}, "PACKED_LENGTHS",
                "sum to 4, but the input has 5 tokens");
}

TEST(ResolvePositions, RefusesOffsetsBeyondWhatADoubleHolds) {
  ExpectInvalid({.offset = kMaxPosition}, kTwoByThree, "POSITION_OUT_OF_BOUNDS",
                "positions.offset is 9007199254740992");
  ExpectInvalid({.offset = std::numeric_limits<std::int64_t>::min()},
                kTwoByThree, "POSITION_OUT_OF_BOUNDS",
                "positions.offset is -9");
}

TEST(CheckRange, SaysWhichPositionAndTheLimit) {
  const EncodingSpec spec{.d_model = 8, .max_positions = 5};
  const Sinusoidal encoding(spec);
  EXPECT_TRUE(CheckRange({.values = {0, 4, 4.5}}, spec, encoding).ok());
  const auto over = CheckRange({.values = {0, 5}}, spec, encoding);
  EXPECT_EQ(over.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(std::string(over.message()),
            "position 5 of token 1 is outside encoding.max_positions, which "
            "allows 0 to 4");
  const auto below = CheckRange({.values = {-0.5}}, spec, encoding);
  EXPECT_EQ(below.code(), absl::StatusCode::kOutOfRange);
  EXPECT_TRUE(
      CheckRange({.values = {PositionList::Padding()}}, spec, encoding).ok());
}

}  // namespace
}  // namespace posenc::server
