// Encodes of tokens with heads, masks and grids, through the engine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "server/base/error.h"
#include "server/base/limits.h"
#include "tests/support/encode.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tensor_bytes.h"

namespace posenc::server {
namespace {

using ::posenc::testing::Encode;
using ::posenc::testing::View;
using ::testing::HasSubstr;
using Scheme = PositionFields::Scheme;
using Floats = std::vector<float>;

// An engine with the table "places" [6,4] of 100, 101, ….
class EncodeLayoutsTest : public ::testing::Test {
 protected:
  EncodeLayoutsTest() : device_(*MakeDevice("cpu", 64 * kMiB, workers_)) {
    Floats places(24);
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = 100 + static_cast<float>(i);
    }
    testing::WriteNpy(directory_.File("places.npy"), {6, 4}, places);
    tables_ = *EmbeddingStore::Open(directory_.path(), *device_);
    cache_ = std::make_unique<TableCache>(*device_, 16 * kMiB, workers_);
    engine_ = MakeEngine(*device_, *tables_, *cache_, {4 * kMiB});
  }

  Floats Output(const EncodeRequest& request) {
    const auto encoded = Encode(*engine_, request);
    EXPECT_TRUE(encoded.ok()) << encoded.status();
    if (!encoded.ok()) return {};
    Floats values(encoded->output.bytes().size() / sizeof(float));
    std::memcpy(values.data(), encoded->output.bytes().data(),
                encoded->output.bytes().size());
    return values;
  }

  void ExpectError(const EncodeRequest& request, absl::StatusCode code,
                   const std::string& reason, const std::string& message) {
    const auto encoded = Encode(*engine_, request);
    ASSERT_FALSE(encoded.ok());
    EXPECT_EQ(encoded.status().code(), code) << encoded.status();
    EXPECT_EQ(ReasonOf(encoded.status()), reason);
    EXPECT_THAT(std::string(encoded.status().message()), HasSubstr(message));
  }

  // The row of one token alone.
  Floats Row(const SpecFields& encoding, double position,
             std::uint64_t d_model) {
    const Floats zeros(d_model);
    const std::vector<double> positions = {position};
    return Output(
        {.encoding = encoding,
         .positions = {.scheme = Scheme::kValues,
                       .tensor = View(DType::kFloat64, {1}, positions)},
         .embeddings = View(DType::kFloat32, {1, 1, d_model}, zeros)});
  }

  testing::TemporaryDirectory directory_;
  WorkerPool workers_{2};
  std::unique_ptr<Device> device_;
  std::unique_ptr<EmbeddingStore> tables_;
  std::unique_ptr<TableCache> cache_;
  std::unique_ptr<Engine> engine_;
};

Floats Slice(const Floats& all, std::size_t row, std::size_t width) {
  const auto at = static_cast<std::ptrdiff_t>(row * width);
  return {all.begin() + at,
          all.begin() + at + static_cast<std::ptrdiff_t>(width)};
}

TEST_F(EncodeLayoutsTest, HeadsHaveTheRowOfTheirToken) {
  const Floats x(2 * 3 * 5 * 4);
  const std::vector<double> positions = {3, 1e6, -2, 0.5, 7, 9, 8, 7, 6, 5};
  const PositionFields fields{
      .scheme = Scheme::kValues,
      .tensor = View(DType::kFloat64, {2, 5}, positions)};
  const Floats between =
      Output({.layout = BatchLayout::kHeadsSequence,
              .positions = fields,
              .embeddings = View(DType::kFloat32, {2, 3, 5, 4}, x)});
  const Floats last =
      Output({.layout = BatchLayout::kSequenceHeads,
              .positions = fields,
              .embeddings = View(DType::kFloat32, {2, 5, 3, 4}, x)});
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t s = 0; s < 5; ++s) {
      const Floats row = Row({}, positions[b * 5 + s], 4);
      for (std::size_t h = 0; h < 3; ++h) {
        EXPECT_EQ(Slice(between, (b * 3 + h) * 5 + s, 4), row);
        EXPECT_EQ(Slice(last, (b * 5 + s) * 3 + h, 4), row);
      }
    }
  }
}

TEST_F(EncodeLayoutsTest, PackedTokensMayHaveHeads) {
  const Floats x(3 * 2 * 4);
  const std::vector<std::int32_t> lengths = {2, 1};
  const PositionFields fields{.scheme = Scheme::kPackedLengths,
                              .tensor = View(DType::kInt32, {2}, lengths)};
  const Floats between =
      Output({.layout = BatchLayout::kHeadsSequence,
              .positions = fields,
              .embeddings = View(DType::kFloat32, {2, 3, 4}, x)});
  const Floats last =
      Output({.layout = BatchLayout::kSequenceHeads,
              .positions = fields,
              .embeddings = View(DType::kFloat32, {3, 2, 4}, x)});
  const double positions[] = {0, 1, 0};
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t h = 0; h < 2; ++h) {
      EXPECT_EQ(Slice(between, h * 3 + t, 4), Row({}, positions[t], 4));
      EXPECT_EQ(Slice(last, t * 2 + h, 4), Row({}, positions[t], 4));
    }
  }
}

TEST_F(EncodeLayoutsTest, RefusesRanksAndIdsThatHaveNoHeads) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  const Floats x(24);
  ExpectError({.layout = BatchLayout::kHeadsSequence,
               .embeddings = View(DType::kFloat32, {2, 3, 4}, x)},
              kInvalid, "RANK",
              "embeddings are [2,3,4], which has 3 dimensions, but must be "
              "[batch, heads, sequence, d_model], which has 4");
  const std::vector<std::int32_t> lengths = {6};
  ExpectError({.layout = BatchLayout::kSequenceHeads,
               .positions = {.scheme = Scheme::kPackedLengths,
                             .tensor = View(DType::kInt32, {1}, lengths)},
               .embeddings = View(DType::kFloat32, {6, 4}, x)},
              kInvalid, "RANK",
              "but must be [tokens, heads, d_model], which has 3");
  const std::vector<std::int32_t> ids(4);
  ExpectError({.layout = BatchLayout::kSequenceHeads,
               .embedding_table = "places",
               .token_ids = View(DType::kInt32, {2, 2}, ids)},
              kInvalid, "LAYOUT_WITH_HEADS",
              "batch_layout is [batch, sequence, heads, d_model], but "
              "token_ids, which are [2,2], have no heads");
}

TEST_F(EncodeLayoutsTest, IdsTellPaddingWhateverTheLayout) {
  const SpecFields encoding{.profile = "roberta", .position_table = "places"};
  const PositionFields fields{.scheme = Scheme::kPaddingId, .padding_id = 1};
  const std::vector<std::int64_t> ids = {1, 0, 2, 1};
  const Floats batch_first =
      Output({.encoding = encoding,
              .positions = fields,
              .embedding_table = "places",
              .token_ids = View(DType::kInt64, {2, 2}, ids)});
  // Table rows: padding_idx for padding, then from padding_idx + 1.
  const std::vector<float> rows = {1, 2, 2, 1};
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_EQ(batch_first[r * 4],
              (100 + 4 * static_cast<float>(ids[r])) + (100 + 4 * rows[r]))
        << r;
  }
  const Floats x(16);
  ExpectError({.encoding = encoding,
               .positions = fields,
               .embeddings = View(DType::kFloat32, {2, 2, 4}, x)},
              absl::StatusCode::kInvalidArgument, "CONTRADICTORY_FIELDS",
              "positions.padding_id is 1");
}

TEST_F(EncodeLayoutsTest, PaddingNeedsARowInTheTable) {
  const Floats x(8);
  const std::vector<std::int32_t> mask = {1, 0};
  const PositionFields fields{.scheme = Scheme::kAttentionMask,
                              .tensor = View(DType::kInt32, {1, 2}, mask)};
  ExpectError(
      {.encoding = {.profile = "opt", .start = 0, .position_table = "places"},
       .positions = fields,
       .embeddings = View(DType::kFloat32, {1, 2, 4}, x)},
      absl::StatusCode::kOutOfRange, "POSITION_OUTSIDE_TABLE",
      "position -1 of token 1 is outside the encoding, which has rows "
      "for positions 0 to 5");
}

TEST_F(EncodeLayoutsTest, TablesMayOverflow) {
  const Floats x(12);
  const auto encode = [&](TableOverflow overflow) {
    return Output({.encoding = {.profile = "learned",
                                .position_table = "places",
                                .table_overflow = overflow},
                   .positions = {.offset = 5},
                   .embeddings = View(DType::kFloat32, {1, 3, 4}, x)});
  };
  const Floats last = {120, 121, 122, 123};
  EXPECT_EQ(Slice(encode(TableOverflow::kClamp), 2, 4), last);
  EXPECT_EQ(Slice(encode(TableOverflow::kZeroRow), 0, 4), last);
  EXPECT_EQ(Slice(encode(TableOverflow::kZeroRow), 2, 4), Floats(4));
}

TEST_F(EncodeLayoutsTest, GridsFillTheSequence) {
  const SpecFields encoding{.profile = "mae", .grid_sizes = {3, 4}};
  const Floats x(2 * 13 * 8);
  const Floats all =
      Output({.encoding = encoding,
              .layout = BatchLayout::kSequenceFirst,
              .embeddings = View(DType::kFloat32, {13, 2, 8}, x)});
  for (std::size_t t = 0; t < 13; ++t) {
    const Floats row = Row(encoding, static_cast<double>(t), 8);
    EXPECT_EQ(Slice(all, 2 * t, 8), row) << t;
    EXPECT_EQ(Slice(all, 2 * t + 1, 8), row) << t;
  }
  ExpectError({.encoding = encoding,
               .embeddings = View(DType::kFloat32, {1, 26, 8}, x)},
              absl::StatusCode::kInvalidArgument, "GRID_MISMATCH",
              "the sequence has 26 tokens, but encoding.grid_sizes and "
              "class_rows make 13");
}

// More tokens than the engine takes at once, so that it goes in pieces.
TEST_F(EncodeLayoutsTest, MaskedGridsAreTheSameWhicheverTheBatch) {
  const SpecFields encoding{.profile = "detr", .grid_sizes = {60, 50}};
  constexpr std::size_t kTokens = 3000;
  std::vector<std::int32_t> masks;
  for (std::size_t b = 0; b < 3; ++b) {
    for (std::size_t t = 0; t < kTokens; ++t) {
      masks.push_back(t / 50 < 20 * b + 15 && t % 50 < 45 - 10 * b ? 1 : 0);
    }
  }
  const auto encode = [&](const std::vector<std::int32_t>& mask) {
    const std::uint64_t batch = mask.size() / kTokens;
    const Floats x(mask.size() * 64);
    return Output(
        {.encoding = encoding,
         .positions = {.scheme = Scheme::kAttentionMask,
                       .tensor = View(DType::kInt32, {batch, kTokens}, mask)},
         .embeddings = View(DType::kFloat32, {batch, kTokens, 64}, x)});
  };
  const Floats together = encode(masks);
  ASSERT_EQ(together.size(), masks.size() * 64);
  for (std::size_t b = 0; b < 3; ++b) {
    const auto at = static_cast<std::ptrdiff_t>(b * kTokens);
    const std::vector<std::int32_t> mask(
        masks.begin() + at,
        masks.begin() + at + static_cast<std::ptrdiff_t>(kTokens));
    EXPECT_EQ(encode(mask), Slice(together, b, kTokens * 64)) << b;
  }
}

}  // namespace
}  // namespace posenc::server
