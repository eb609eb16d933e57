#ifndef POSENC_TESTS_CONFORMANCE_DEVICE_FIXTURE_H_
#define POSENC_TESTS_CONFORMANCE_DEVICE_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "server/base/limits.h"
#include "server/devices/device.h"
#include "tests/support/elements.h"

namespace posenc::server::testing {

using Bytes = std::vector<std::byte>;

// What the suites of device_*test.cc run on. To test another device, add its
// name here.
inline std::vector<std::string> AllDevices() { return {"cpu"}; }

// A matrix of random values, also held by the device under test.
struct Matrix {
  DType dtype;
  std::uint64_t width;
  std::shared_ptr<const Bytes> bytes;
  std::unique_ptr<DeviceTable> held;

  double At(std::uint64_t row, std::uint64_t column) const {
    return LoadElement(dtype,
                       bytes->data() + (row * width + column) * SizeOf(dtype));
  }
};

// A row of encodings; no matrix: zeros.
struct EncodingRow {
  const Matrix* matrix = nullptr;
  std::uint64_t row = 0;
};

// Rows first, first + 1, … of a matrix.
inline std::vector<EncodingRow> Rows(const Matrix& matrix, std::uint64_t first,
                                     std::uint64_t count) {
  std::vector<EncodingRow> rows;
  for (std::uint64_t i = 0; i < count; ++i)
    rows.push_back({&matrix, first + i});
  return rows;
}

// What a device is to be told of those rows.
inline std::vector<TableRow> TableRows(const std::vector<EncodingRow>& rows) {
  std::vector<TableRow> held;
  for (const EncodingRow& row : rows) {
    held.push_back(row.matrix == nullptr
                       ? TableRow{}
                       : TableRow{row.matrix->held.get(), row.row});
  }
  return held;
}

// A device of the name that is the parameter, and what to give it.
class DeviceFixture : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto device = MakeDevice(GetParam(), kGiB, workers_);
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = *std::move(device);
  }

  Matrix Random(DType dtype, std::uint64_t rows, std::uint64_t width) {
    std::uniform_real_distribution<double> value(-2, 2);
    std::vector<double> values(rows * width);
    for (double& x : values) x = value(random_);
    auto bytes = std::make_shared<const Bytes>(Elements(dtype, values));
    auto held =
        device_->Hold(HostTable{dtype, rows, width, bytes->data(), bytes});
    EXPECT_TRUE(held.ok()) << held.status();
    return {dtype, width, std::move(bytes), *std::move(held)};
  }

  // Copies of the segments, for an op to write to.
  static std::vector<Bytes> Copies(Segments segments) {
    std::vector<Bytes> pieces;
    for (const Segment& segment : segments) {
      pieces.emplace_back(segment.begin(), segment.end());
    }
    return pieces;
  }

  // All bytes of the segments.
  static Bytes Joined(const std::vector<Segment>& segments) {
    Bytes all(TotalBytes(segments));
    CopyTo(segments, all.data());
    return all;
  }

  WorkerPool workers_{3};
  std::unique_ptr<Device> device_;
  std::mt19937_64 random_{11};
};

}  // namespace posenc::server::testing

#endif  // POSENC_TESTS_CONFORMANCE_DEVICE_FIXTURE_H_
