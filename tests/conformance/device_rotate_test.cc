// How every device rotates.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "server/devices/device.h"
#include "tests/conformance/device_fixture.h"
#include "tests/support/elements.h"

namespace posenc::server {
namespace {

using testing::AllDevices;
using testing::Bytes;
using testing::DeviceFixture;
using testing::EncodingRow;
using testing::kFloats;
using testing::LoadElement;
using testing::Matrix;
using testing::Rows;
using testing::StoreElement;
using testing::TableRows;

constexpr Pairing kBothPairings[] = {Pairing::kAdjacent, Pairing::kHalves};

// An op, with what computes its outcome the plain way.
struct Turn {
  const Matrix* input = nullptr;  // its rows in order, or those of `ids`
  bool gather = false;
  std::vector<std::uint64_t> ids;
  std::uint64_t rows = 0;
  std::vector<EncodingRow> encoding;
  std::uint64_t run = 1;
  double scale = 1;
  DType output_dtype = DType::kFloat32;
  std::uint64_t pairs = 0;
  Pairing pairing = Pairing::kHalves;

  std::size_t OutputBytes() const {
    return rows * input->width * SizeOf(output_dtype);
  }
};

// The value of a channel of an output row before it is rounded.
double Turned(const Turn& turn, std::uint64_t row, std::uint64_t channel) {
  const std::uint64_t input_row = turn.gather ? turn.ids[row] : row;
  const auto at = [&](std::uint64_t i) {
    return turn.scale * turn.input->At(input_row, i);
  };
  const EncodingRow& from =
      turn.encoding[(row / turn.run) % turn.encoding.size()];
  if (from.matrix == nullptr || channel >= 2 * turn.pairs) return at(channel);
  const bool adjacent = turn.pairing == Pairing::kAdjacent;
  const std::uint64_t pair = adjacent ? channel / 2 : channel % turn.pairs;
  const bool is_first = adjacent ? channel % 2 == 0 : channel < turn.pairs;
  const double a = at(adjacent ? 2 * pair : pair);
  const double b = at(adjacent ? 2 * pair + 1 : pair + turn.pairs);
  const double cos = from.matrix->At(from.row, pair);
  const double sin = from.matrix->At(from.row, turn.pairs + pair);
  return is_first ? a * cos - b * sin : a * sin + b * cos;
}

Bytes Expected(const Turn& turn) {
  Bytes output(turn.OutputBytes());
  std::byte* to = output.data();
  for (std::uint64_t row = 0; row < turn.rows; ++row) {
    for (std::uint64_t i = 0; i < turn.input->width; ++i) {
      StoreElement(turn.output_dtype, Turned(turn, row, i), to);
      to += SizeOf(turn.output_dtype);
    }
  }
  return output;
}

class RotateConformance : public DeviceFixture {
 protected:
  // The device's outcome, for the input as one segment or in the given ones;
  // in the place of the input too where that fits.
  Bytes Run(const Turn& turn) {
    const Segment whole = *turn.input->bytes;
    return Run(turn, std::vector<Segment>{whole});
  }
  Bytes Run(const Turn& turn, const std::vector<Segment>& segments) {
    const std::vector<TableRow> rows = TableRows(turn.encoding);
    RotateOp op;
    op.rows = turn.rows;
    op.width = turn.input->width;
    op.scale = turn.scale;
    op.encoding = {rows, turn.run};
    op.output_dtype = turn.output_dtype;
    op.pairs = turn.pairs;
    op.pairing = turn.pairing;
    if (turn.gather) {
      op.gather = turn.input->held.get();
      op.ids = turn.ids;
    } else {
      op.input_dtype = turn.input->dtype;
      op.input = segments;
    }
    Bytes output(turn.OutputBytes());
    const absl::Status status = device_->Rotate(op, output);
    EXPECT_TRUE(status.ok()) << status;
    if (!turn.gather && SizeOf(op.input_dtype) == SizeOf(op.output_dtype)) {
      EXPECT_EQ(RunInPlace(op), output) << "in place";
    }
    return output;
  }

  Bytes RunInPlace(RotateOp op) {
    std::vector<Bytes> pieces = Copies(op.input);
    const std::vector<Segment> segments(pieces.begin(), pieces.end());
    op.input = segments;
    const absl::Status status = device_->RotateInPlace(op);
    EXPECT_TRUE(status.ok()) << status;
    return Joined(segments);
  }
};

TEST_P(RotateConformance, TurnsForEveryPairOfTypes) {
  const Matrix encoding = Random(DType::kFloat64, 9, 36);
  for (const DType in : kFloats) {
    const Matrix input = Random(in, 9, 36);
    for (const DType out : kFloats) {
      for (const Pairing pairing : kBothPairings) {
        const Turn turn{.input = &input,
                        .rows = 9,
                        .encoding = Rows(encoding, 0, 9),
                        .output_dtype = out,
                        .pairs = 18,
                        .pairing = pairing};
        EXPECT_EQ(Run(turn), Expected(turn)) << Name(in) << " to " << Name(out);
      }
    }
  }
}

TEST_P(RotateConformance, TurnsAQuarterExactly) {
  Matrix input = Random(DType::kFloat32, 1, 4);
  input.bytes = std::make_shared<const Bytes>(
      testing::Elements(DType::kFloat32, {1, 2, 3, 4}));
  const auto quarter = std::make_shared<const Bytes>(
      testing::Elements(DType::kFloat64, {0, 0, 1, 1}));
  auto held =
      device_->Hold(HostTable{DType::kFloat64, 1, 4, quarter->data(), quarter});
  ASSERT_TRUE(held.ok()) << held.status();
  const Matrix encoding{DType::kFloat64, 4, quarter, *std::move(held)};
  Turn turn{.input = &input,
            .rows = 1,
            .encoding = Rows(encoding, 0, 1),
            .pairs = 2,
            .pairing = Pairing::kAdjacent};
  EXPECT_EQ(Run(turn), testing::Elements(DType::kFloat32, {-2, 1, -4, 3}));
  turn.pairing = Pairing::kHalves;
  EXPECT_EQ(Run(turn), testing::Elements(DType::kFloat32, {-3, -4, 1, 2}));
}

TEST_P(RotateConformance, ScalesTheInputOnly) {
  const Matrix encoding = Random(DType::kFloat64, 4, 16);
  for (const DType dtype : kFloats) {
    const Matrix input = Random(dtype, 4, 21);
    for (const double scale : {0.0, -1.0, std::sqrt(16.0), std::sqrt(512.0)}) {
      for (const Pairing pairing : kBothPairings) {
        const Turn turn{.input = &input,
                        .rows = 4,
                        .encoding = Rows(encoding, 0, 4),
                        .scale = scale,
                        .pairs = 8,
                        .pairing = pairing};
        EXPECT_EQ(Run(turn), Expected(turn)) << scale;
      }
    }
  }
}

TEST_P(RotateConformance, ChannelsPastThePairsPassThrough) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Matrix encoding = Random(DType::kFloat64, 2, 6);
  for (const DType dtype : kFloats) {
    Matrix input = Random(dtype, 2, 10);
    const Bytes special = testing::Elements(
        dtype, {1,  2, 3, 4, 5, 6, std::nan(""), infinity, -infinity, -0.0,
                -1, 2, 3, 4, 5, 6, -0.0,         0x1p-14,  0.0,       2});
    input.bytes = std::make_shared<const Bytes>(special);
    for (const Pairing pairing : kBothPairings) {
      const Turn turn{.input = &input,
                      .rows = 2,
                      .encoding = Rows(encoding, 0, 2),
                      .output_dtype = dtype,
                      .pairs = 3,
                      .pairing = pairing};
      const Bytes output = Run(turn);
      for (std::size_t i = 0; i < 20; ++i) {
        if (i % 10 < 6) continue;
        const std::size_t at = i * SizeOf(dtype);
        EXPECT_TRUE(testing::SameElement(dtype, &output[at], &special[at]))
            << Name(dtype) << ", channel " << i % 10;
      }
    }
  }
}

TEST_P(RotateConformance, RowsWithoutATableAreNotTurned) {
  const Matrix encoding = Random(DType::kFloat64, 2, 64);
  const std::vector<EncodingRow> rows = {
      {}, {&encoding, 0}, {}, {}, {&encoding, 1}};
  for (const DType dtype : kFloats) {
    const Matrix input = Random(dtype, 10, 70);
    for (const std::uint64_t run : {1u, 2u}) {
      for (const double scale : {1.0, 3.0}) {
        const Turn turn{.input = &input,
                        .rows = 10,
                        .encoding = rows,
                        .run = run,
                        .scale = scale,
                        .pairs = 32};
        EXPECT_EQ(Run(turn), Expected(turn)) << "run " << run;
      }
    }
  }
}

TEST_P(RotateConformance, MapsRowsInRunsAndStartsOver) {
  const Matrix encoding = Random(DType::kFloat64, 8, 6);
  const Matrix other = Random(DType::kFloat64, 8, 6);
  const std::vector<EncodingRow> rows = {
      {&encoding, 2}, {&encoding, 3}, {&encoding, 3}, {&other, 4},
      {&encoding, 5}, {&encoding, 4}, {&other, 0}};
  const Matrix input = Random(DType::kFloat32, 50, 8);
  for (const std::uint64_t run : {1u, 2u, 3u, 7u, 50u, 1000u}) {
    for (const Pairing pairing : kBothPairings) {
      const Turn turn{.input = &input,
                      .rows = 50,
                      .encoding = rows,
                      .run = run,
                      .pairs = 3,
                      .pairing = pairing};
      EXPECT_EQ(Run(turn), Expected(turn)) << "run " << run;
    }
  }
}

TEST_P(RotateConformance, StartsAnywhereInTheMap) {
  const Matrix encoding = Random(DType::kFloat64, 7, 4);
  const Matrix input = Random(DType::kFloat32, 60, 6);
  const std::vector<EncodingRow> all = Rows(encoding, 0, 7);
  const std::vector<TableRow> rows = TableRows(all);
  for (const std::uint64_t run : {1u, 3u}) {
    const Turn turn{
        .input = &input, .rows = 60, .encoding = all, .run = run, .pairs = 2};
    const Bytes expected = Expected(turn);
    for (std::uint64_t first = 0; first < 60; ++first) {
      const std::size_t skipped = first * 6 * sizeof(float);
      const Segment rest = Segment(*input.bytes).subspan(skipped);
      const RotateOp op{{.rows = 60 - first,
                         .width = 6,
                         .encoding = {rows, run, first},
                         .input = Segments(&rest, 1)},
                        2};
      Bytes output(rest.size());
      ASSERT_TRUE(device_->Rotate(op, output).ok());
      EXPECT_TRUE(
          std::equal(output.begin(), output.end(),
                     expected.begin() + static_cast<std::ptrdiff_t>(skipped)))
          << "run " << run << ", from " << first;
    }
  }
}

TEST_P(RotateConformance, GathersFromTablesOfEveryType) {
  const Matrix encoding = Random(DType::kFloat64, 4, 18);
  for (const DType dtype : kFloats) {
    const Matrix table = Random(dtype, 100, 19);
    for (const DType out : kFloats) {
      const Turn turn{.input = &table,
                      .gather = true,
                      .ids = {0, 99, 7, 7, 8, 9, 50, 1, 99, 0, 3, 2},
                      .rows = 12,
                      .encoding = {{&encoding, 1}, {}, {&encoding, 2}},
                      .run = 2,
                      .scale = std::sqrt(19.0),
                      .output_dtype = out,
                      .pairs = 9};
      EXPECT_EQ(Run(turn), Expected(turn))
          << Name(dtype) << " to " << Name(out);
    }
  }
}

TEST_P(RotateConformance, SegmentsNeverChangeTheOutcome) {
  const Matrix encoding = Random(DType::kFloat64, 3, 6);
  for (const DType dtype : kFloats) {
    const Matrix input = Random(dtype, 3, 7);
    for (const Pairing pairing : kBothPairings) {
      const Turn turn{.input = &input,
                      .rows = 3,
                      .encoding = Rows(encoding, 0, 3),
                      .pairs = 3,
                      .pairing = pairing};
      const Bytes expected = Expected(turn);
      const Segment all = *input.bytes;
      for (std::size_t i = 0; i <= all.size(); ++i) {
        for (std::size_t k = i; k <= all.size(); ++k) {
          ASSERT_EQ(
              Run(turn, {all.first(i), all.subspan(i, k - i), all.subspan(k)}),
              expected)
              << Name(dtype) << " cut at " << i << " and " << k;
        }
      }
    }
  }
}

TEST_P(RotateConformance, TakesManyTinySegments) {
  const Matrix encoding = Random(DType::kFloat64, 5, 32);
  for (const DType dtype : kFloats) {
    const Matrix input = Random(dtype, 5, 33);
    const Turn turn{.input = &input,
                    .rows = 5,
                    .encoding = Rows(encoding, 0, 5),
                    .pairs = 16};
    std::vector<Bytes> pieces;
    std::vector<Segment> segments;
    for (const std::byte byte : *input.bytes) pieces.push_back({byte});
    for (const Bytes& piece : pieces) {
      segments.emplace_back(piece);
      segments.emplace_back();
    }
    EXPECT_EQ(Run(turn, segments), Expected(turn)) << Name(dtype);
  }
}

// Large enough for several threads.
TEST_P(RotateConformance, TurnsLargeTensorsInUnevenSegments) {
  const Matrix encoding = Random(DType::kFloat64, 300, 96);
  const Matrix input = Random(DType::kFloat32, 4 * 300 * 12, 128);
  std::vector<Segment> segments;
  Segment left = *input.bytes;
  for (std::size_t i = 0; !left.empty(); ++i) {
    const std::size_t size = std::min(left.size(), 8191 + i % 3);
    segments.push_back(left.first(size));
    left = left.subspan(size);
  }
  for (const std::uint64_t run : {1u, 12u}) {
    const Turn turn{.input = &input,
                    .rows = 4 * 300 * 12,
                    .encoding = Rows(encoding, 0, 300),
                    .run = run,
                    .pairs = 48};
    EXPECT_EQ(Run(turn, segments), Expected(turn)) << "run " << run;
  }
}

TEST_P(RotateConformance, NoRowsAreNoWork) {
  const Matrix input = Random(DType::kFloat32, 0, 4);
  const Turn turn{.input = &input, .rows = 0, .encoding = {{}}, .pairs = 2};
  EXPECT_TRUE(Run(turn).empty());
}

TEST_P(RotateConformance, RefusesIntegers) {
  Bytes output(8);
  const Segment input = output;
  const std::vector<TableRow> rows = {{}};
  RotateOp op{{.rows = 1, .width = 2, .encoding = {rows, 1}}, 1};
  op.input = Segments(&input, 1);
  op.input_dtype = DType::kInt32;
  const absl::Status status = device_->Rotate(op, output);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("INT32"), std::string::npos);
  EXPECT_EQ(device_->RotateInPlace(op).code(),
            absl::StatusCode::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Devices, RotateConformance,
                         ::testing::ValuesIn(AllDevices()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace posenc::server
