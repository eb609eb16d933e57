// What every device does, whatever it is made of.

#include "server/devices/device.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "server/base/limits.h"
#include "server/base/segments.h"
#include "tests/conformance/device_fixture.h"
#include "tests/support/elements.h"

namespace posenc::server {
namespace {

using testing::AllDevices;
using testing::Bytes;
using testing::DeviceFixture;
using testing::EncodingRow;
using testing::kFloats;
using testing::Matrix;
using testing::Rows;
using testing::StoreElement;
using testing::TableRows;

// An op, with what computes its outcome the plain way.
struct Sum {
  const Matrix* input = nullptr;  // its rows in order, or those of `ids`
  bool gather = false;
  std::vector<std::uint64_t> ids;
  std::uint64_t rows = 0;
  std::vector<EncodingRow> encoding;
  std::uint64_t run = 1;
  double scale = 1;
  DType output_dtype = DType::kFloat32;

  std::size_t OutputBytes() const {
    return rows * input->width * SizeOf(output_dtype);
  }
};

Bytes Expected(const Sum& sum) {
  Bytes output(sum.OutputBytes());
  std::byte* to = output.data();
  for (std::uint64_t row = 0; row < sum.rows; ++row) {
    const EncodingRow& from =
        sum.encoding[(row / sum.run) % sum.encoding.size()];
    const std::uint64_t input_row = sum.gather ? sum.ids[row] : row;
    for (std::uint64_t column = 0; column < sum.input->width; ++column) {
      const double product = sum.scale * sum.input->At(input_row, column);
      const double encoding =
          from.matrix == nullptr ? 0.0 : from.matrix->At(from.row, column);
      StoreElement(sum.output_dtype, product + encoding, to);
      to += SizeOf(sum.output_dtype);
    }
  }
  return output;
}

class DeviceConformance : public DeviceFixture {
 protected:
  // The device's outcome, for the input as one segment or in the given ones.
  Bytes Run(const Sum& sum) {
    const Segment whole = *sum.input->bytes;
    return Run(sum, std::vector<Segment>{whole});
  }
  Bytes Run(const Sum& sum, const std::vector<Segment>& segments) {
    const std::vector<TableRow> rows = TableRows(sum.encoding);
    AddOp op;
    op.rows = sum.rows;
    op.width = sum.input->width;
    op.scale = sum.scale;
    op.encoding = {rows, sum.run};
    op.output_dtype = sum.output_dtype;
    if (sum.gather) {
      op.gather = sum.input->held.get();
      op.ids = sum.ids;
    } else {
      op.input_dtype = sum.input->dtype;
      op.input = segments;
    }
    absl::StatusOr<ResponseBuffer> buffer =
        device_->AllocateResponse(sum.OutputBytes());
    EXPECT_TRUE(buffer.ok()) << buffer.status();
    const absl::Status status = device_->Add(op, buffer->bytes());
    EXPECT_TRUE(status.ok()) << status;
    const Bytes output(buffer->bytes().begin(), buffer->bytes().end());
    if (!sum.gather && SizeOf(op.input_dtype) == SizeOf(op.output_dtype)) {
      EXPECT_EQ(RunInPlace(op), output) << "in place";
    }
    return output;
  }

  // The outcome in the place of a copy of the input, cut as the input is.
  Bytes RunInPlace(AddOp op) {
    std::vector<Bytes> pieces = Copies(op.input);
    const std::vector<Segment> segments(pieces.begin(), pieces.end());
    op.input = segments;
    const absl::Status status = device_->AddInPlace(op);
    EXPECT_TRUE(status.ok()) << status;
    return Joined(segments);
  }
};

TEST_P(DeviceConformance, HasAName) {
  EXPECT_EQ(std::string(device_->name()), GetParam());
  EXPECT_EQ(device_->description().find(GetParam()), 0u);
}

TEST_P(DeviceConformance, TablesKeepTheirShape) {
  const Matrix matrix = Random(DType::kBFloat16, 3, 5);
  EXPECT_EQ(matrix.held->dtype(), DType::kBFloat16);
  EXPECT_EQ(matrix.held->rows(), 3u);
  EXPECT_EQ(matrix.held->width(), 5u);
}

TEST_P(DeviceConformance, ATableIsKeptAliveWithItsOwner) {
  auto bytes = std::make_shared<const Bytes>(
      testing::Elements(DType::kFloat64, {0.25, 0.5, 0.75, 1.0}));
  auto held =
      device_->Hold(HostTable{DType::kFloat64, 2, 2, bytes->data(), bytes});
  ASSERT_TRUE(held.ok()) << held.status();
  const Matrix encoding{DType::kFloat64, 2, bytes, *std::move(held)};
  const Matrix input = Random(DType::kFloat32, 2, 2);
  Sum sum{.input = &input, .rows = 2, .encoding = Rows(encoding, 0, 2)};
  const Bytes expected = Expected(sum);
  bytes.reset();
  EXPECT_EQ(Run(sum), expected);
}

TEST_P(DeviceConformance, AddsForEveryPairOfTypes) {
  const Matrix encoding = Random(DType::kFloat64, 9, 37);
  for (const DType in : kFloats) {
    const Matrix input = Random(in, 9, 37);
    for (const DType out : kFloats) {
      const Sum sum{.input = &input,
                    .rows = 9,
                    .encoding = Rows(encoding, 0, 9),
                    .output_dtype = out};
      EXPECT_EQ(Run(sum), Expected(sum)) << Name(in) << " to " << Name(out);
    }
  }
}

TEST_P(DeviceConformance, ScalesTheInputOnly) {
  const Matrix encoding = Random(DType::kFloat64, 4, 16);
  const Matrix input = Random(DType::kFloat32, 4, 16);
  for (const double scale : {0.0, -1.0, std::sqrt(16.0), std::sqrt(512.0)}) {
    const Sum sum{.input = &input,
                  .rows = 4,
                  .encoding = Rows(encoding, 0, 4),
                  .scale = scale};
    EXPECT_EQ(Run(sum), Expected(sum)) << scale;
  }
}

TEST_P(DeviceConformance, MapsRowsInRunsAndStartsOver) {
  const Matrix encoding = Random(DType::kFloat64, 8, 6);
  const Matrix other = Random(DType::kFloat64, 8, 6);
  const std::vector<EncodingRow> rows = {
      {&encoding, 2}, {&encoding, 3}, {&encoding, 3}, {&other, 4},
      {&encoding, 5}, {&encoding, 4}, {&other, 0}};
  const Matrix input = Random(DType::kFloat32, 50, 6);
  for (const std::uint64_t run : {1u, 2u, 3u, 7u, 50u, 1000u}) {
    const Sum sum{.input = &input, .rows = 50, .encoding = rows, .run = run};
    EXPECT_EQ(Run(sum), Expected(sum)) << "run " << run;
  }
}

TEST_P(DeviceConformance, BroadcastsOneSequenceOverTheBatch) {
  const Matrix encoding = Random(DType::kFloat64, 20, 8);
  const Matrix input = Random(DType::kFloat16, 3 * 12, 8);
  const Sum batch_first{
      .input = &input, .rows = 36, .encoding = Rows(encoding, 5, 12)};
  EXPECT_EQ(Run(batch_first), Expected(batch_first));
  const Sum sequence_first{
      .input = &input, .rows = 36, .encoding = Rows(encoding, 5, 12), .run = 3};
  EXPECT_EQ(Run(sequence_first), Expected(sequence_first));
}

TEST_P(DeviceConformance, RowsWithoutATableAreZeros) {
  // Wider than any block that a device may keep zeros in.
  const std::uint64_t width = 5000;
  const Matrix encoding = Random(DType::kFloat64, 2, width);
  const Matrix input = Random(DType::kBFloat16, 10, width);
  const std::vector<EncodingRow> rows = {
      {}, {&encoding, 0}, {}, {}, {&encoding, 1}};
  for (const std::uint64_t run : {1u, 2u}) {
    const Sum sum{
        .input = &input, .rows = 10, .encoding = rows, .run = run, .scale = 3};
    EXPECT_EQ(Run(sum), Expected(sum)) << "run " << run;
  }
}

TEST_P(DeviceConformance, GathersFromTablesOfEveryType) {
  const Matrix encoding = Random(DType::kFloat64, 12, 19);
  for (const DType dtype : kFloats) {
    const Matrix table = Random(dtype, 100, 19);
    for (const DType out : kFloats) {
      const Sum sum{.input = &table,
                    .gather = true,
                    .ids = {0, 99, 7, 7, 8, 9, 50, 1, 99, 0, 3, 2},
                    .rows = 12,
                    .encoding = Rows(encoding, 0, 12),
                    .scale = std::sqrt(19.0),
                    .output_dtype = out};
      EXPECT_EQ(Run(sum), Expected(sum)) << Name(dtype) << " to " << Name(out);
    }
  }
}

TEST_P(DeviceConformance, GathersWithRunsAndZeros) {
  const Matrix encoding = Random(DType::kFloat64, 4, 2050);
  const Matrix table = Random(DType::kFloat32, 5, 2050);
  const Sum sum{.input = &table,
                .gather = true,
                .ids = {4, 0, 0, 1, 3, 2, 4},
                .rows = 7,
                .encoding = {{&encoding, 1}, {}, {&encoding, 2}},
                .run = 2};
  EXPECT_EQ(Run(sum), Expected(sum));
}

TEST_P(DeviceConformance, SegmentsNeverChangeTheOutcome) {
  const Matrix encoding = Random(DType::kFloat64, 3, 7);
  for (const DType dtype : kFloats) {
    const Matrix input = Random(dtype, 3, 7);
    const Sum sum{.input = &input, .rows = 3, .encoding = Rows(encoding, 0, 3)};
    const Bytes expected = Expected(sum);
    const Segment all = *input.bytes;
    for (std::size_t i = 0; i <= all.size(); ++i) {
      ASSERT_EQ(Run(sum, {all.first(i), all.subspan(i)}), expected)
          << Name(dtype) << " cut at " << i;
      for (std::size_t k = i; k <= all.size(); ++k) {
        ASSERT_EQ(
            Run(sum, {all.first(i), all.subspan(i, k - i), all.subspan(k)}),
            expected)
            << Name(dtype) << " cut at " << i << " and " << k;
      }
    }
  }
}

TEST_P(DeviceConformance, TakesManyTinySegmentsAtAnyAlignment) {
  const Matrix encoding = Random(DType::kFloat64, 5, 33);
  for (const DType dtype : kFloats) {
    const Matrix input = Random(dtype, 5, 33);
    const Sum sum{.input = &input, .rows = 5, .encoding = Rows(encoding, 0, 5)};
    // Each byte of its own, far from the others, with empty pieces between.
    std::vector<Bytes> pieces;
    std::vector<Segment> segments;
    for (const std::byte byte : *input.bytes) pieces.push_back({byte});
    for (const Bytes& piece : pieces) {
      segments.emplace_back(piece);
      segments.emplace_back();
    }
    EXPECT_EQ(Run(sum, segments), Expected(sum)) << Name(dtype);
  }
}

TEST_P(DeviceConformance, AddsLargeTensorsInUnevenSegments) {
  const Matrix encoding = Random(DType::kFloat64, 300, 768);
  const Matrix input = Random(DType::kFloat32, 4 * 300, 768);
  const Sum sum{
      .input = &input, .rows = 1200, .encoding = Rows(encoding, 0, 300)};
  std::vector<Segment> segments;
  Segment left = *input.bytes;
  for (std::size_t i = 0; !left.empty(); ++i) {
    const std::size_t size = std::min(left.size(), 8191 + i % 3);
    segments.push_back(left.first(size));
    left = left.subspan(size);
  }
  EXPECT_EQ(Run(sum, segments), Expected(sum));
}

TEST_P(DeviceConformance, StartsAnywhereInTheMap) {
  const Matrix encoding = Random(DType::kFloat64, 8, 6);
  const Matrix input = Random(DType::kFloat32, 60, 6);
  std::vector<TableRow> rows;
  for (std::uint64_t i = 0; i < 7; ++i)
    rows.push_back({encoding.held.get(), i});
  for (const std::uint64_t run : {1u, 3u}) {
    const Sum sum{.input = &input,
                  .rows = 60,
                  .encoding = Rows(encoding, 0, 7),
                  .run = run};
    const Bytes expected = Expected(sum);
    for (std::uint64_t first = 0; first < 60; ++first) {
      const std::size_t skipped = first * 6 * sizeof(float);
      const Segment rest = Segment(*input.bytes).subspan(skipped);
      const AddOp op{{.rows = 60 - first,
                      .width = 6,
                      .encoding = {rows, run, first},
                      .input = Segments(&rest, 1)}};
      Bytes output(rest.size());
      ASSERT_TRUE(device_->Add(op, output).ok());
      EXPECT_EQ(output,
                Bytes(expected.begin() + static_cast<std::ptrdiff_t>(skipped),
                      expected.end()))
          << "run " << run << ", from " << first;
    }
  }
}

TEST_P(DeviceConformance, NoRowsAreNoWork) {
  const Matrix input = Random(DType::kFloat32, 0, 4);
  const Sum sum{.input = &input, .rows = 0, .encoding = {{}}};
  EXPECT_TRUE(Run(sum).empty());
}

TEST_P(DeviceConformance, RefusesIntegers) {
  Bytes output(4);
  const Bytes input(4);
  const std::vector<Segment> segments = {input};
  const std::vector<TableRow> rows = {{}};
  AddOp op{{.rows = 1, .width = 1, .encoding = {rows, 1}, .input = segments}};
  op.input_dtype = DType::kInt32;
  const absl::Status in = device_->Add(op, output);
  EXPECT_EQ(in.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(device_->AddInPlace(op).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(in.message()).find("INT32"), std::string::npos);
  op.input_dtype = DType::kFloat32;
  op.output_dtype = DType::kInt32;
  const absl::Status out = device_->Add(op, output);
  EXPECT_EQ(out.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(out.message()).find("INT32"), std::string::npos);
}

TEST_P(DeviceConformance, ConcurrentAddsDoNotDisturbEachOther) {
  constexpr std::size_t kThreads = 8;
  const Matrix encoding = Random(DType::kFloat64, 40, 129);
  const Matrix input = Random(DType::kFloat32, 40, 129);
  std::vector<Sum> sums;
  for (std::size_t i = 0; i < kThreads; ++i) {
    sums.push_back({.input = &input,
                    .rows = 40,
                    .encoding = Rows(encoding, 0, 40 - 3 * i),
                    .scale = 1.0 + static_cast<double>(i),
                    .output_dtype = kFloats[i % 4]});
    if (i % 2 == 1) {
      sums.back().gather = true;
      for (std::size_t k = 0; k < 40; ++k)
        sums.back().ids.push_back((k * 7 + i) % 40);
    }
  }
  std::vector<std::thread> threads;
  for (const Sum& sum : sums) {
    threads.emplace_back([this, &sum] {
      const Bytes expected = Expected(sum);
      for (int i = 0; i < 50; ++i) ASSERT_EQ(Run(sum), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(DeviceConformance, BoundsTheResponsesUnderWay) {
  const auto small = MakeDevice(GetParam(), 1000, workers_);
  ASSERT_TRUE(small.ok()) << small.status();
  auto held = (*small)->AllocateResponse(900);
  ASSERT_TRUE(held.ok()) << held.status();
  const auto over = (*small)->AllocateResponse(101);
  EXPECT_EQ(over.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(std::string(over.status().message()).find("101"),
            std::string::npos);
  EXPECT_NE(std::string(over.status().message()).find("1000"),
            std::string::npos);
  *held = ResponseBuffer();
  EXPECT_TRUE((*small)->AllocateResponse(101).ok());
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceConformance,
                         ::testing::ValuesIn(AllDevices()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace posenc::server
