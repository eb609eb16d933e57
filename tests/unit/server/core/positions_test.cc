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
  auto list = ResolvePositions(fields, batch,
                               {.d_model = 8, .padding_rows = padding}, {});
  EXPECT_TRUE(list.ok()) << list.status();
  return list.ok() ? *std::move(list) : PositionList{};
}

void ExpectInvalid(const PositionFields& fields, const BatchShape& batch,
                   const std::string& reason, const std::string& message) {
  const auto list = ResolvePositions(fields, batch, {.d_model = 8}, {});
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

TEST(ResolvePositions, MayGoInStrides) {
  EXPECT_THAT(Expand(Resolve({.offset = 3, .stride = 0.25}, kTwoByThree), 6),
              ElementsAre(3, 3.25, 3.5, 3, 3.25, 3.5));
  EXPECT_THAT(Expand(Resolve({.stride = -2}, kThreeByTwo), 6),
              ElementsAre(0, 0, -2, -2, -4, -4));
  EXPECT_THAT(Expand(Resolve({.stride = 0}, kTwoByThree), 3),
              ElementsAre(0, 0, 0));
  // Rounded once: 1e15 + 2 * 0.3 is 1000000000000000.6.
  EXPECT_EQ(
      Resolve({.offset = 1000000000000000, .stride = 0.3}, kTwoByThree).values,
      (std::vector<double>{1e15, 1000000000000000.3, 1000000000000000.6}));
}

TEST(ResolvePositions, RefusesStridesThatLeadNowhere) {
  ExpectInvalid({.stride = std::nan("")}, kTwoByThree, "NON_FINITE",
                "positions.stride is nan");
  ExpectInvalid({.stride = std::numeric_limits<double>::infinity()},
                {.batch = 1, .sequence = 1}, "NON_FINITE",
                "positions.stride is inf");
  ExpectInvalid({.stride = 1e16}, kTwoByThree, "POSITION_OUT_OF_BOUNDS",
                "positions.stride is 1e+16, which puts the last of 3 tokens at "
                "2e+16");
  ExpectInvalid({.stride = -1e308}, {.batch = 1, .sequence = 30},
                "POSITION_OUT_OF_BOUNDS", "at -inf");
  const std::vector<std::int32_t> lengths = {1, 3};
  ExpectInvalid({.scheme = Scheme::kPaddedLengths,
                 .tensor = View(DType::kInt32, {2}, lengths),
                 .stride = 1},
                kTwoByThree, "CONTRADICTORY_FIELDS",
                "positions.stride and positions.padded_lengths are both set");
}

// --- Heads -----------------------------------------------------------------

constexpr BatchShape kHeadsBetween{.batch = 2,
                                   .sequence = 3,
                                   .layout = BatchLayout::kHeadsSequence,
                                   .heads = 2};
constexpr BatchShape kHeadsLast{.batch = 2,
                                .sequence = 3,
                                .layout = BatchLayout::kSequenceHeads,
                                .heads = 2};

TEST(ResolvePositions, AllHeadsOfATokenShareItsPosition) {
  EXPECT_THAT(Expand(Resolve({}, kHeadsBetween), 12),
              ElementsAre(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2));
  EXPECT_THAT(Expand(Resolve({}, kHeadsLast), 12),
              ElementsAre(0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2));
  const std::vector<std::int32_t> each = {9, 8, 7, 6, 5, 4};
  const PositionFields fields{.scheme = Scheme::kValues,
                              .tensor = View(DType::kInt32, {2, 3}, each)};
  EXPECT_THAT(Expand(Resolve(fields, kHeadsBetween), 12),
              ElementsAre(9, 8, 7, 9, 8, 7, 6, 5, 4, 6, 5, 4));
  EXPECT_THAT(Expand(Resolve(fields, kHeadsLast), 12),
              ElementsAre(9, 9, 8, 8, 7, 7, 6, 6, 5, 5, 4, 4));
}

TEST(ResolvePositions, ListsOfSharedPositionsStayShort) {
  const std::vector<std::int32_t> each = {9, 8, 7, 6, 5, 4};
  const PositionFields fields{.scheme = Scheme::kValues,
                              .tensor = View(DType::kInt32, {2, 3}, each)};
  EXPECT_EQ(Resolve({}, kHeadsBetween).count(), 3u);
  EXPECT_EQ(Resolve({}, kHeadsLast).count(), 3u);
  EXPECT_EQ(Resolve(fields, kHeadsLast).count(), 6u);
  const BatchShape one{1, 6, BatchLayout::kHeadsSequence, 100};
  const PositionFields row{.scheme = Scheme::kValues,
                           .tensor = View(DType::kInt32, {1, 6}, each)};
  EXPECT_EQ(Resolve(row, one).count(), 6u);
}

TEST(ResolvePositions, PackedTokensHaveHeadsToo) {
  const std::vector<std::int64_t> lengths = {2, 1};
  const PositionFields fields{.scheme = Scheme::kPackedLengths,
                              .tensor = View(DType::kInt64, {2}, lengths)};
  EXPECT_THAT(
      Expand(Resolve(fields, {1, 3, BatchLayout::kHeadsSequence, 2}), 6),
      ElementsAre(0, 1, 0, 0, 1, 0));
  EXPECT_THAT(
      Expand(Resolve(fields, {1, 3, BatchLayout::kSequenceHeads, 2}), 6),
      ElementsAre(0, 0, 1, 1, 0, 0));
}

TEST(ResolvePositions, PaddingOfLengthsMayComeBeforeTheFirst) {
  const std::vector<std::int32_t> lengths = {1, 3};
  const PositionFields fields{.offset = 10,
                              .scheme = Scheme::kPaddedLengths,
                              .tensor = View(DType::kInt32, {2}, lengths)};
  EXPECT_THAT(
      Expand(Resolve(fields, kTwoByThree, PaddingRows::kBeforeFirst), 6),
      ElementsAre(10, -1, -1, 10, 11, 12));
  EXPECT_THAT(
      Expand(Resolve(fields, kTwoByThree, PaddingRows::kBeforeOffset), 6),
      ElementsAre(10, 9, 9, 10, 11, 12));
}

// --- Grids -----------------------------------------------------------------

TEST(ResolvePositions, AGridIsFilledUnlessPositionsAreSaid) {
  const auto spec = ResolveSpec(
      {.profile = "mae", .d_model = 8, .grid_sizes = {2, 3}}, std::nullopt);
  ASSERT_TRUE(spec.ok()) << spec.status();
  const auto resolve = [&](const PositionFields& fields,
                           std::uint64_t sequence) {
    return ResolvePositions(fields, {.batch = 1, .sequence = sequence}, *spec,
                            {})
        .status();
  };
  EXPECT_TRUE(resolve({}, 7).ok());
  const absl::Status status = resolve({}, 6);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(status), "GRID_MISMATCH");
  EXPECT_EQ(std::string(status.message()),
            "the sequence has 6 tokens, but encoding.grid_sizes and class_rows "
            "make 7");
  EXPECT_TRUE(resolve({.offset = 1}, 6).ok());
  const std::vector<std::int32_t> two = {6, 1};
  EXPECT_TRUE(resolve({.scheme = Scheme::kValues,
                       .tensor = View(DType::kInt32, {2}, two)},
                      2)
                  .ok());
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
