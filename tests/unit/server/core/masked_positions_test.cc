#include "server/core/masked_positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/core/encodings/learned.h"
#include "server/core/encodings/sinusoidal.h"
#include "server/core/encodings/sinusoidal_grid.h"
#include "tests/support/tensor_bytes.h"

namespace posenc::server {
namespace {

using ::posenc::testing::View;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsNan;
using Scheme = PositionFields::Scheme;
using Integers = std::vector<std::int32_t>;

constexpr BatchShape kTwoByFour{.batch = 2, .sequence = 4};

// A left-padded sequence, and one with a hole and padding at the end.
const Integers kMask = {0, 0, 1, 1, 1, 0, 1, 0};

PositionFields Mask(const Integers& mask, Shape shape,
                    std::optional<std::int64_t> offset = std::nullopt) {
  return {.offset = offset,
          .scheme = Scheme::kAttentionMask,
          .tensor = View(DType::kInt32, std::move(shape), mask)};
}

EncodingSpec With(PaddingRows padding) {
  return {.d_model = 8, .padding_rows = padding};
}

PositionList ResolveMasked(const PositionFields& fields,
                           const BatchShape& batch, const EncodingSpec& spec,
                           std::span<const std::uint64_t> ids = {}) {
  auto list = ResolvePositions(fields, batch, spec, ids);
  EXPECT_TRUE(list.ok()) << list.status();
  return list.ok() ? *std::move(list) : PositionList{};
}

std::vector<double> ExpandRows(const PositionList& list,
                               const BatchShape& batch) {
  std::vector<double> values;
  for (std::uint64_t row = 0; row < batch.rows(); ++row) {
    const auto position = list.at(row / list.run % list.count());
    values.insert(values.end(), position.begin(), position.end());
  }
  return values;
}

void ExpectInvalidMask(const PositionFields& fields, const BatchShape& batch,
                       const EncodingSpec& spec, const std::string& reason,
                       const std::string& message) {
  const auto list = ResolvePositions(fields, batch, spec, {});
  ASSERT_FALSE(list.ok());
  EXPECT_EQ(list.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(list.status()), reason);
  EXPECT_THAT(std::string(list.status().message()), HasSubstr(message));
}

TEST(MaskedPositions, CountTheTokensBefore) {
  EXPECT_THAT(ExpandRows(ResolveMasked(Mask(kMask, {2, 4}), kTwoByFour,
                                       With(PaddingRows::kZero)),
                         kTwoByFour),
              ElementsAre(IsNan(), IsNan(), 0, 1, 0, IsNan(), 1, IsNan()));
}

TEST(MaskedPositions, PaddingGetsWhatTheSpecSays) {
  const auto expand = [](PaddingRows padding,
                         std::optional<std::int64_t> offset) {
    return ExpandRows(
        ResolveMasked(Mask(kMask, {2, 4}, offset), kTwoByFour, With(padding)),
        kTwoByFour);
  };
  EXPECT_THAT(expand(PaddingRows::kEncode, std::nullopt),
              ElementsAre(0, 0, 0, 1, 0, 0, 1, 1));
  EXPECT_THAT(expand(PaddingRows::kEncode, 5),
              ElementsAre(5, 5, 5, 6, 5, 5, 6, 6));
  EXPECT_THAT(expand(PaddingRows::kBeforeFirst, 5),
              ElementsAre(-1, -1, 5, 6, 5, -1, 6, -1));
  EXPECT_THAT(expand(PaddingRows::kBeforeOffset, 5),
              ElementsAre(4, 4, 5, 6, 5, 4, 6, 4));
  EXPECT_THAT(expand(PaddingRows::kBeforeOffset, 0),
              ElementsAre(IsNan(), IsNan(), 0, 1, 0, IsNan(), 1, IsNan()));
}

TEST(MaskedPositions, TokensOfEarlierCallsCount) {
  const Integers mask = {0, 1, 1, 1, 1, 1, 0, 0};
  constexpr BatchShape kTwoByTwo{.batch = 2, .sequence = 2};
  EXPECT_THAT(ExpandRows(ResolveMasked(Mask(mask, {2, 4}), kTwoByTwo,
                                       With(PaddingRows::kEncode)),
                         kTwoByTwo),
              ElementsAre(1, 2, 1, 1));
  EXPECT_THAT(ExpandRows(ResolveMasked(Mask(mask, {2, 4}), kTwoByTwo,
                                       With(PaddingRows::kBeforeFirst)),
                         kTwoByTwo),
              ElementsAre(1, 2, -1, -1));
}

// Whatever the layout, the mask is [batch, sequence], and each output row has
// its token's position.
TEST(MaskedPositions, EveryLayoutGivesTheSamePositions) {
  for (const auto layout :
       {BatchLayout::kBatchFirst, BatchLayout::kSequenceFirst,
        BatchLayout::kHeadsSequence, BatchLayout::kSequenceHeads}) {
    const std::uint64_t heads = HasHeads(layout) ? 3 : 1;
    const BatchShape batch{2, 4, layout, heads};
    const std::vector<double> all =
        ExpandRows(ResolveMasked(Mask(kMask, {2, 4}), batch,
                                 With(PaddingRows::kBeforeFirst)),
                   batch);
    ASSERT_EQ(all.size(), 8 * heads);
    const std::vector<double> expected = {-1, -1, 0, 1, 0, -1, 1, -1};
    for (std::uint64_t b = 0; b < 2; ++b) {
      for (std::uint64_t s = 0; s < 4; ++s) {
        for (std::uint64_t h = 0; h < heads; ++h) {
          std::uint64_t row = batch.RowOf(b, s);
          row += layout == BatchLayout::kHeadsSequence ? h * 4 : h;
          EXPECT_EQ(all[row], expected[b * 4 + s])
              << static_cast<int>(layout) << " " << b << " " << s << " " << h;
        }
      }
    }
  }
}

TEST(MaskedPositions, ASequenceDoesNotDependOnItsBatchMates) {
  const EncodingSpec spec = With(PaddingRows::kEncode);
  constexpr BatchShape kOne{.batch = 1, .sequence = 4};
  const std::vector<double> together = ExpandRows(
      ResolveMasked(Mask(kMask, {2, 4}), kTwoByFour, spec), kTwoByFour);
  for (std::size_t b = 0; b < 2; ++b) {
    const auto at = static_cast<std::ptrdiff_t>(4 * b);
    const Integers mask(kMask.begin() + at, kMask.begin() + at + 4);
    EXPECT_THAT(
        ExpandRows(ResolveMasked(Mask(mask, {1, 4}), kOne, spec), kOne),
        ElementsAreArray(together.begin() + at, together.begin() + at + 4));
  }
}

TEST(MaskedPositions, AnIdMayTellPadding) {
  const std::vector<std::uint64_t> ids = {1, 1, 7, 8, 5, 1, 6, 1};
  const EncodingSpec spec = With(PaddingRows::kZero);
  const PositionFields fields{.scheme = Scheme::kPaddingId, .padding_id = 1};
  const auto expected = {0.0, 1.0};
  EXPECT_THAT(
      ExpandRows(ResolveMasked(fields, kTwoByFour, spec, ids), kTwoByFour),
      ElementsAre(IsNan(), IsNan(), 0, 1, 0, IsNan(), 1, IsNan()));
  // [sequence, batch]: the sequences are 1 7 5 6 and 1 8 1 1.
  constexpr BatchShape kFourByTwo{
      .batch = 2, .sequence = 4, .layout = BatchLayout::kSequenceFirst};
  EXPECT_THAT(
      ExpandRows(ResolveMasked(fields, kFourByTwo, spec, ids), kFourByTwo),
      ElementsAre(IsNan(), IsNan(), 0, 0, 1, IsNan(), 2, IsNan()));
  EXPECT_THAT(
      ExpandRows(ResolveMasked({.scheme = Scheme::kPaddingId, .padding_id = -1},
                               {.batch = 1, .sequence = 2}, spec,
                               std::span(ids).first(2)),
                 {.batch = 1, .sequence = 2}),
      ElementsAreArray(expected));
}

TEST(MaskedPositions, RefusesMasksThatDoNotFit) {
  const EncodingSpec spec = With(PaddingRows::kEncode);
  ExpectInvalidMask(Mask(kMask, {4, 2}), kTwoByFour, spec, "MASK_SHAPE",
                    "positions.attention_mask is [4,2], but must be [2,4] or "
                    "longer");
  ExpectInvalidMask(Mask(Integers(6, 1), {2, 3}), kTwoByFour, spec,
                    "MASK_SHAPE", "is [2,3], but must be [2,4]");
  ExpectInvalidMask(Mask(kMask, {8}), kTwoByFour, spec, "MASK_SHAPE", "is [8]");
  ExpectInvalidMask(Mask(kMask, {2, 5}), kTwoByFour, spec, "PAYLOAD_SIZE",
                    "positions.attention_mask");
  ExpectInvalidMask(Mask({0, 1, 1, 1, 1, 2, 1, 1}, {2, 4}), kTwoByFour, spec,
                    "MASK_VALUE", "has 2 at [1,1], but must be 0 or 1");
  const std::vector<float> floats(8, 1);
  ExpectInvalidMask({.scheme = Scheme::kAttentionMask,
                     .tensor = View(DType::kFloat32, {2, 4}, floats)},
                    kTwoByFour, spec, "DTYPE", "attention_mask are FLOAT32");
}

TEST(MaskedPositions, RefusesIdsOfEmbeddings) {
  ExpectInvalidMask({.scheme = Scheme::kPaddingId, .padding_id = 3}, kTwoByFour,
                    With(PaddingRows::kEncode), "CONTRADICTORY_FIELDS",
                    "positions.padding_id is 3, but the input is embeddings");
}

TEST(MaskedPositions, RefusesOffsetsThatTheirColumnsLeadTooFar) {
  const Integers mask(8, 1);
  ExpectInvalidMask(Mask(mask, {1, 8}, kMaxPosition - 5),
                    {.batch = 1, .sequence = 4}, With(PaddingRows::kEncode),
                    "POSITION_OUT_OF_BOUNDS", "with 8 tokens it must be");
}

TEST(MaskedPositions, TheCapIsNotForPadding) {
  EncodingSpec spec = With(PaddingRows::kBeforeFirst);
  spec.max_positions = 2;
  const Sinusoidal encoding(spec);
  const PositionList list =
      ResolveMasked(Mask(kMask, {2, 4}), kTwoByFour, spec);
  EXPECT_TRUE(CheckRange(list, spec, encoding).ok());
  // A token at -1 is none of padding's.
  const PositionList before =
      ResolveMasked(Mask(kMask, {2, 4}, -1), kTwoByFour, spec);
  EXPECT_EQ(ReasonOf(CheckRange(before, spec, encoding)), "POSITION_OVER_CAP");
}

// --- Grids -----------------------------------------------------------------

// 2 by 3 after a class token.
EncodingSpec GridSpec(PaddingRows padding) {
  const auto spec = ResolveSpec({.profile = "detr",
                                 .d_model = 8,
                                 .padding_rows = padding,
                                 .grid_sizes = {2, 3},
                                 .class_rows = 1},
                                std::nullopt);
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? *spec : EncodingSpec{};
}

constexpr BatchShape kGrid{.batch = 1, .sequence = 7};
const Integers kGridMask = {1,        // the class token
                            1, 1, 0,  // a row
                            1, 0, 0};

TEST(MaskedGrids, CountAlongEachAxis) {
  const PositionList list = ResolveMasked(Mask(kGridMask, {1, 7}), kGrid,
                                          GridSpec(PaddingRows::kEncode));
  ASSERT_EQ(list.numbers, 4u);
  ASSERT_EQ(list.count(), 7u);
  EXPECT_TRUE(PositionList::IsPadding(list.at(0)[0]));
  // Down and across, less 1, then the last of each.
  EXPECT_THAT(list.at(1), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(list.at(2), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(list.at(3), ElementsAre(-1, 1, -1, 1));
  EXPECT_THAT(list.at(4), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(list.at(5), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(list.at(6), ElementsAre(-1, 0, -1, 0));
}

TEST(MaskedGrids, PaddingMayGetNothing) {
  for (const auto padding : {PaddingRows::kZero, PaddingRows::kBeforeOffset}) {
    const PositionList list =
        ResolveMasked(Mask(kGridMask, {1, 7}), kGrid, GridSpec(padding));
    for (std::size_t t = 1; t < 7; ++t) {
      EXPECT_EQ(PositionList::IsPadding(list.at(t)[0]), kGridMask[t] == 0) << t;
    }
    EXPECT_THAT(list.at(4), ElementsAre(1, 0, 1, 0));
  }
}

TEST(MaskedGrids, HeadsAndBatchesHaveTheirTokensCoordinates) {
  Integers masks = kGridMask;
  masks.insert(masks.end(), 7, 1);
  const EncodingSpec spec = GridSpec(PaddingRows::kEncode);
  for (const auto layout :
       {BatchLayout::kSequenceFirst, BatchLayout::kHeadsSequence,
        BatchLayout::kSequenceHeads}) {
    const BatchShape batch{2, 7, layout, HasHeads(layout) ? 2u : 1u};
    const PositionList list = ResolveMasked(Mask(masks, {2, 7}), batch, spec);
    const auto at_row = [&](std::uint64_t row) {
      return list.at(row / list.run % list.count());
    };
    EXPECT_THAT(at_row(batch.RowOf(0, 3)), ElementsAre(-1, 1, -1, 1));
    EXPECT_THAT(at_row(batch.RowOf(1, 3)), ElementsAre(0, 2, 1, 2));
    EXPECT_THAT(at_row(batch.rows() - 1), ElementsAre(1, 2, 1, 2));
  }
}

TEST(MaskedGrids, AWholeMaskGivesTheGridItself) {
  const EncodingSpec spec = GridSpec(PaddingRows::kEncode);
  const SinusoidalGrid encoding(spec);
  const PositionList list =
      ResolveMasked(Mask(Integers(7, 1), {1, 7}), kGrid, spec);
  for (std::size_t t = 1; t < 7; ++t) {
    std::vector<double> by_index(8), by_mask(8);
    ASSERT_TRUE(
        encoding.BuildRows(static_cast<std::int64_t>(t), by_index).ok());
    ASSERT_TRUE(encoding.BuildRowAt(list.at(t), by_mask).ok());
    EXPECT_EQ(by_mask, by_index) << t;
  }
}

TEST(MaskedGrids, RefusesWhatDoesNotFit) {
  const EncodingSpec spec = GridSpec(PaddingRows::kEncode);
  ExpectInvalidMask(Mask(Integers(6, 1), {1, 6}), {.batch = 1, .sequence = 6},
                    spec, "GRID_MISMATCH",
                    "the sequence has 6 tokens, but encoding.grid_sizes and "
                    "class_rows make 7");
  ExpectInvalidMask(Mask(Integers(9, 1), {1, 9}), kGrid, spec, "MASK_SHAPE",
                    "has 9 columns, but with a grid must have the 7");
  ExpectInvalidMask(Mask(kGridMask, {1, 7}, 2), kGrid, spec,
                    "CONTRADICTORY_FIELDS", "positions.offset is 2");
  const auto before = ResolvePositions(Mask(kGridMask, {1, 7}), kGrid,
                                       GridSpec(PaddingRows::kBeforeFirst), {});
  EXPECT_EQ(before.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(ReasonOf(before.status()), "POSITION_OUTSIDE_TABLE");
}

TEST(MaskedGrids, TheCapIsForTheWholeGrid) {
  EncodingSpec spec = GridSpec(PaddingRows::kEncode);
  const SinusoidalGrid encoding(spec);
  const PositionList list = ResolveMasked(Mask(kGridMask, {1, 7}), kGrid, spec);
  spec.max_positions = 7;
  EXPECT_TRUE(CheckRange(list, spec, encoding).ok());
  spec.max_positions = 6;
  const absl::Status status = CheckRange(list, spec, encoding);
  EXPECT_EQ(ReasonOf(status), "POSITION_OVER_CAP");
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("position 6 of a grid of 7"));
}

}  // namespace
}  // namespace posenc::server
