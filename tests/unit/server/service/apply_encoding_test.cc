#include "server/service/apply_encoding.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

constexpr std::uint64_t kHeadSize = 4;

// Rows of two pairs, (position, -position) and (1, 2): what would be the
// cosines and sines if they were angles.
class CountingPairs : public Encoding {
 public:
  explicit CountingPairs(Op op) : op_(op) {}

  Op op() const override { return op_; }
  std::uint64_t width() const override { return kHeadSize; }
  PositionRange range() const override { return {-kMaxPosition, kMaxPosition}; }
  std::uint64_t bytes() const override { return sizeof(*this); }
  absl::Status BuildRows(std::int64_t first,
                         std::span<double> rows) const override {
    for (std::size_t i = 0; i < rows.size(); i += kHeadSize) {
      const auto row = static_cast<std::int64_t>(i / kHeadSize);
      const absl::Status status = BuildRow(static_cast<double>(first + row),
                                           rows.subspan(i, kHeadSize));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  absl::Status BuildRow(double position, std::span<double> row) const override {
    row[0] = position;
    row[1] = -position;
    row[2] = 1;
    row[3] = 2;
    return absl::OkStatus();
  }

 private:
  Op op_;
};

class ApplyEncodingTest : public ::testing::Test {
 protected:
  // Applies the encoding to rows of 1, 2, 3, …; in the place of a copy, too.
  std::vector<float> Apply(Op op, const EncodingSpec& spec,
                           std::uint64_t d_model, const PositionList& positions,
                           std::uint64_t rows) {
    const std::string key = std::to_string(static_cast<int>(op));
    const auto entry = *cache_.Find(
        {key, [op] { return std::make_shared<CountingPairs>(op); }}, spec);
    const CachedEncoding cached{cache_, *device_, entry};
    std::vector<float> x(rows * d_model);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1);
    const Segment payload = std::as_bytes(std::span(x));
    const RowsOp rows_op{
        .rows = rows, .width = d_model, .input = Segments(&payload, 1)};
    std::vector<float> y(x.size());
    absl::Status status = ApplyEncoding(cached, spec, positions, rows_op,
                                        std::as_writable_bytes(std::span(y)));
    EXPECT_TRUE(status.ok()) << status;
    status = ApplyEncoding(cached, spec, positions, rows_op, {});
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(x, y) << "in place";
    return y;
  }

  WorkerPool workers_{2};
  std::unique_ptr<Device> device_ = *MakeDevice("cpu", kMiB, workers_);
  TableCache cache_{*device_, kMiB, workers_};
};

TEST_F(ApplyEncodingTest, AddsRowsWhereTheEncodingSaysSo) {
  EXPECT_EQ(Apply(Op::kAdd, {}, 4, {.values = {3, 0.5}}, 2),
            (std::vector<float>{4, -1, 4, 6, 5.5, 5.5, 8, 10}));
}

TEST_F(ApplyEncodingTest, TurnsPairsOfTheEncodingsWidth) {
  EncodingSpec spec{.rotary_pairing = RotaryPairing::kAdjacent};
  // (1, 2) by (3, 1), (3, 4) by (-3, 2); 5 has no pair.
  EXPECT_EQ(Apply(Op::kRotate, spec, 5, {.values = {3}}, 1),
            (std::vector<float>{1, 7, -17, -6, 5}));
  spec.rotary_pairing = RotaryPairing::kHalves;
  // (1, 3) by (3, 1), (2, 4) by (-3, 2).
  EXPECT_EQ(Apply(Op::kRotate, spec, 5, {.values = {3}}, 1),
            (std::vector<float>{0, -14, 10, -8, 5}));
}

TEST_F(ApplyEncodingTest, LeavesPaddingUnturned) {
  EXPECT_EQ(Apply(Op::kRotate, {}, 4, {.values = {PositionList::Padding()}}, 1),
            (std::vector<float>{1, 2, 3, 4}));
}

// A cache of 1 MiB has room for 256 rows of 4 at once.
TEST_F(ApplyEncodingTest, LongRequestsGoInPieces) {
  constexpr std::uint64_t kRows = 3000;
  PositionList positions;
  for (std::uint64_t i = 0; i < kRows / 2; ++i) {
    positions.values.push_back(static_cast<double>(i * 7));
  }
  positions.run = 2;
  const std::vector<float> y = Apply(Op::kRotate, {}, 6, positions, kRows);
  for (std::uint64_t row = 0; row < kRows; ++row) {
    const double first = static_cast<double>(row * 6 + 1);
    const double position = static_cast<double>(row / 2 * 7);
    EXPECT_EQ(y[row * 6], static_cast<float>(first * position - (first + 2)));
    EXPECT_EQ(y[row * 6 + 5], static_cast<float>(first + 5));
  }
}

// Sequences of a batch that share their positions, cut anywhere.
TEST_F(ApplyEncodingTest, PiecesFollowPositionsThatStartOver) {
  constexpr std::uint64_t kTokens = 700, kRows = 3 * kTokens;
  PositionList positions;
  for (std::uint64_t i = 0; i < kTokens; ++i) {
    positions.values.push_back(static_cast<double>(i));
  }
  const std::vector<float> y = Apply(Op::kAdd, {}, 4, positions, kRows);
  for (std::uint64_t row = 0; row < kRows; ++row) {
    const auto position = static_cast<float>(row % kTokens);
    EXPECT_EQ(y[row * 4], static_cast<float>(row * 4 + 1) + position);
    EXPECT_EQ(y[row * 4 + 1], static_cast<float>(row * 4 + 2) - position);
  }
}

// Pieces of whole runs, and a last one that is shorter.
TEST_F(ApplyEncodingTest, RunsStayTogether) {
  constexpr std::uint64_t kHeads = 7, kTokens = 1001, kRows = kHeads * kTokens;
  PositionList positions{.run = kHeads};
  for (std::uint64_t i = 0; i < kTokens; ++i) {
    positions.values.push_back(static_cast<double>(kTokens - i));
  }
  const std::vector<float> y = Apply(Op::kAdd, {}, 4, positions, kRows);
  for (std::uint64_t row = 0; row < kRows; ++row) {
    const auto position = static_cast<float>(kTokens - row / kHeads);
    EXPECT_EQ(y[row * 4], static_cast<float>(row * 4 + 1) + position);
  }
}

TEST_F(ApplyEncodingTest, RefusesEncodingsWithoutAnOp) {
  const CountingPairs encoding(Op::kNone);
  const absl::Status status =
      CheckEncodable({.kind = EncodingKind::kAlibi}, encoding);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(status), "NOT_ENCODABLE");
  EXPECT_EQ(status.message(),
            "ALIBI encodings are not added to embeddings; GetEncoding serves "
            "their rows");
  EXPECT_TRUE(CheckEncodable({}, CountingPairs(Op::kRotate)).ok());
}

}  // namespace
}  // namespace posenc::server
