#ifndef POSENC_SERVER_DEVICES_DEVICE_H_
#define POSENC_SERVER_DEVICES_DEVICE_H_

// A device holds tables and runs ops on them. It knows nothing of encodings:
// an encoding names an op and builds rows.
//
// To add a device: implement Device and DeviceTable in devices/<name>_device,
// add a line to MakeDevice, and a name to tests/conformance/device_fixture.h.
// To add an op: a request struct and a method here, in every device, with its
// conformance cases.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/base/dtype.h"
#include "server/base/tensor.h"
#include "server/base/worker_pool.h"
#include "server/devices/response_buffer.h"
#include "server/kernels/kernels.h"

namespace posenc::server {

// A matrix that a device holds. Immutable and thread-safe; only the device that
// made it may use it, and must outlive it.
class DeviceTable {
 public:
  virtual ~DeviceTable() = default;
  virtual DType dtype() const = 0;
  virtual std::uint64_t rows() const = 0;
  virtual std::uint64_t width() const = 0;
};

// One row of a table. No table: a row of zeros, or, of angles, no turn.
struct TableRow {
  const DeviceTable* table = nullptr;
  std::uint64_t row = 0;
};

// Which encoding row goes to which output row, without a list as long as the
// output: output row r takes rows[((first + r) / run) % rows.size()].
struct RowMap {
  std::span<const TableRow> rows;  // FLOAT64 tables, as wide as the op says
  std::uint64_t run = 1;           // consecutive output rows that share a row
  std::uint64_t first = 0;         // where the output begins
};

// What every op on rows is told: `rows` rows of `width` elements, multiplied by
// `scale`, meet each its encoding. Arithmetic is double, every product and
// every sum is rounded, and the result once to `output_dtype`, nearest even.
// Bit-equal on every device.
struct RowsOp {
  std::uint64_t rows = 0;
  std::uint64_t width = 0;
  double scale = 1;
  RowMap encoding;
  DType output_dtype = DType::kFloat32;

  // The input is either a payload of rows * width elements …
  DType input_dtype = DType::kFloat32;
  Segments input;
  // … or, when `gather` is set, its rows ids[0], ids[1], …, all within it.
  const DeviceTable* gather = nullptr;
  std::span<const std::uint64_t> ids;

  // Of what the input is.
  DType SourceDType() const {
    return gather != nullptr ? gather->dtype() : input_dtype;
  }
};

// output[r] = scale * input[r] + encoding[r], which is as wide as the output.
struct AddOp : RowsOp {};

// Turns the pairs of scale * input[r] by the angles of encoding[r], which has
// the cosines of `pairs` angles and then their sines: (a, b) becomes
// (a * cos - b * sin, a * sin + b * cos). The channels from 2 * pairs on are
// scale * input[r], and so are all of a row without a table.
struct RotateOp : RowsOp {
  std::uint64_t pairs = 0;  // at most width / 2
  Pairing pairing = Pairing::kHalves;
};

// Zeroes elements with probability `rate`, 0 ≤ rate < 1, and multiplies the
// others by 1 / (1 - rate). Whether the element of that index is one of them:
// Philox 4x32-10 (Salmon et al. 2011) with key `seed` and a counter of index /
// 4 in the lower and request_position in the upper half; word index % 4 of the
// result, over 2^32, is below `rate`. Bit-equal on every device.
struct Dropout {
  double rate = 0;
  std::uint64_t seed = 0;
  std::uint64_t request_position = 0;
};

// Thread-safe.
class Device {
 public:
  virtual ~Device() = default;

  // "cpu".
  virtual absl::string_view name() const = 0;

  // For people: the name and what runs there, "cpu, AVX2".
  virtual std::string description() const = 0;

  // Makes the matrix usable here. The device keeps table.owner as long as it
  // needs the data. RESOURCE_EXHAUSTED if it has no room.
  virtual absl::StatusOr<std::unique_ptr<DeviceTable>> Hold(
      HostTable table) = 0;

  // Memory for a response, that gRPC can send. RESOURCE_EXHAUSTED, with both
  // numbers, when too many bytes of responses are under way.
  virtual absl::StatusOr<ResponseBuffer> AllocateResponse(
      std::size_t bytes) = 0;

  // Runs the op into `output`, which has rows * width * SizeOf(output_dtype)
  // bytes. The caller has checked every size and id. INVALID_ARGUMENT if the
  // input or the output is not of a floating-point type.
  virtual absl::Status Add(const AddOp& op, std::span<std::byte> output) = 0;

  // The same, with the output in the place of the input: overwrites the bytes
  // of op.input. REQUIRES: no gather, types of one size, and that op.input is
  // writable memory that nobody else reads meanwhile.
  virtual absl::Status AddInPlace(const AddOp& op) = 0;

  // Drops elements of what AllocateResponse gave, which holds elements of the
  // floating-point type `dtype`.
  virtual absl::Status DropOut(const Dropout& dropout, DType dtype,
                               std::span<std::byte> values) = 0;
  // As Add and AddInPlace.
  virtual absl::Status Rotate(const RotateOp& op,
                              std::span<std::byte> output) = 0;
  virtual absl::Status RotateInPlace(const RotateOp& op) = 0;
};

// The device of that name. INVALID_ARGUMENT, listing the known ones, if there
// is none. `max_response_bytes` bounds the responses under way. `workers`,
// which must outlive the device, help with large ops.
absl::StatusOr<std::unique_ptr<Device>> MakeDevice(
    absl::string_view name, std::uint64_t max_response_bytes,
    WorkerPool& workers);

}  // namespace posenc::server

#endif  // POSENC_SERVER_DEVICES_DEVICE_H_
