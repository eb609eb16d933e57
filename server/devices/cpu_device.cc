#include "server/devices/cpu_device.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/limits.h"
#include "server/devices/payload_cursor.h"

namespace posenc::server {
namespace {

class CpuTable : public DeviceTable {
 public:
  explicit CpuTable(HostTable table)
      : table_(std::move(table)),
        row_bytes_(table_.width * SizeOf(table_.dtype)) {}

  DType dtype() const override { return table_.dtype; }
  std::uint64_t rows() const override { return table_.rows; }
  std::uint64_t width() const override { return table_.width; }

  std::size_t row_bytes() const { return row_bytes_; }
  const std::byte* Row(std::uint64_t row) const {
    return table_.data + row * row_bytes_;
  }

 private:
  HostTable table_;
  std::size_t row_bytes_;
};

const CpuTable& AsCpuTable(const DeviceTable* table) {
  return static_cast<const CpuTable&>(*table);
}

// What stands for a row of zeros, a piece at a time.
constexpr std::size_t kZeros = 1024;
alignas(64) constexpr std::array<double, kZeros> kZeroRow{};

// Walks a RowMap in runs of output rows whose encoding is contiguous.
class EncodingCursor {
 public:
  struct Run {
    const double* values;  // null for zeros
    std::uint64_t rows;
  };

  explicit EncodingCursor(const RowMap& map) : map_(map), left_(map.run) {}

  // The next 1 … max_rows rows. REQUIRES: max_rows > 0 and a map with rows.
  Run Next(std::uint64_t max_rows) {
    TableRow last = map_.rows[index_];
    Run run{nullptr, 1};
    if (last.table != nullptr) {
      run.values =
          reinterpret_cast<const double*>(AsCpuTable(last.table).Row(last.row));
    }
    Advance();
    while (run.rows < max_rows && Continues(last, map_.rows[index_])) {
      last = map_.rows[index_];
      ++run.rows;
      Advance();
    }
    return run;
  }

 private:
  static bool Continues(const TableRow& row, const TableRow& next) {
    if (row.table != next.table) return false;
    return row.table == nullptr || next.row == row.row + 1;
  }

  void Advance() {
    if (--left_ > 0) return;
    left_ = map_.run;
    if (++index_ == map_.rows.size()) index_ = 0;
  }

  const RowMap& map_;
  std::uint64_t left_;
  std::size_t index_ = 0;
};

// Adds encodings to contiguous elements, output after output.
class Adder {
 public:
  Adder(const Kernels& kernels, DType input_dtype, const AddOp& op,
        std::span<std::byte> output)
      : add_(kernels.Add(input_dtype, op.output_dtype)),
        scale_(op.scale),
        input_size_(SizeOf(input_dtype)),
        output_size_(SizeOf(op.output_dtype)),
        output_(output.data()) {}

  // `encoding` is null for zeros.
  void Add(const std::byte* input, const double* encoding,
           std::uint64_t elements) {
    if (encoding != nullptr) {
      AddPiece(input, encoding, elements);
      return;
    }
    while (elements > 0) {
      const std::uint64_t piece = std::min<std::uint64_t>(elements, kZeros);
      AddPiece(input, kZeroRow.data(), piece);
      input += piece * input_size_;
      elements -= piece;
    }
  }

 private:
  void AddPiece(const std::byte* input, const double* encoding,
                std::uint64_t elements) {
    add_(input, encoding, scale_, output_, elements);
    output_ += elements * output_size_;
  }

  AddFunction add_;
  double scale_;
  std::size_t input_size_;
  std::size_t output_size_;
  std::byte* output_;
};

const double* After(const double* values, std::uint64_t elements) {
  return values == nullptr ? nullptr : values + elements;
}

void AddPayload(const AddOp& op, Adder adder) {
  EncodingCursor encodings(op.encoding);
  PayloadCursor payload(op.input, SizeOf(op.input_dtype));
  for (std::uint64_t rows_left = op.rows; rows_left > 0;) {
    const EncodingCursor::Run encoding = encodings.Next(rows_left);
    rows_left -= encoding.rows;
    const double* values = encoding.values;
    for (std::uint64_t left = encoding.rows * op.width; left > 0;) {
      const PayloadCursor::Run input = payload.Next(left);
      adder.Add(input.data, values, input.elements);
      values = After(values, input.elements);
      left -= input.elements;
    }
  }
}

// Asks for the head of a row that comes soon; the CPU follows the rest itself.
void PrefetchRow(const std::byte* row, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kLines = 4;
  for (std::size_t i = 0; i < std::min(bytes, kLines * kLine); i += kLine) {
    __builtin_prefetch(row + i);
  }
}

void AddGathered(const AddOp& op, Adder adder) {
  constexpr std::uint64_t kRowsAhead = 4;
  const CpuTable& table = AsCpuTable(op.gather);
  EncodingCursor encodings(op.encoding);
  for (std::uint64_t row = 0; row < op.rows;) {
    const EncodingCursor::Run encoding = encodings.Next(op.rows - row);
    const double* values = encoding.values;
    for (const std::uint64_t end = row + encoding.rows; row < end; ++row) {
      if (kRowsAhead < op.rows - row) {
        PrefetchRow(table.Row(op.ids[row + kRowsAhead]), table.row_bytes());
      }
      adder.Add(table.Row(op.ids[row]), values, op.width);
      values = After(values, op.width);
    }
  }
}

}  // namespace

CpuDevice::CpuDevice(const Kernels& kernels, std::uint64_t max_response_bytes)
    : kernels_(kernels),
      pool_(BufferPool::Create(max_response_bytes, kPooledBytes)) {}

std::string CpuDevice::description() const {
  return absl::StrCat("cpu, ", kernels_.target);
}

absl::StatusOr<std::unique_ptr<DeviceTable>> CpuDevice::Hold(HostTable table) {
  return std::make_unique<CpuTable>(std::move(table));
}

absl::StatusOr<ResponseBuffer> CpuDevice::AllocateResponse(std::size_t bytes) {
  return pool_->Allocate(bytes);
}

absl::Status CpuDevice::Add(const AddOp& op, std::span<std::byte> output) {
  const DType input_dtype =
      op.gather != nullptr ? op.gather->dtype() : op.input_dtype;
  if (!IsFloat(input_dtype) || !IsFloat(op.output_dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat("encodings are added to floating-point numbers, not ",
                     Name(input_dtype), " to give ", Name(op.output_dtype)));
  }
  if (op.rows == 0 || op.width == 0) return absl::OkStatus();
  const Adder adder(kernels_, input_dtype, op, output);
  if (op.gather != nullptr) {
    AddGathered(op, adder);
  } else {
    AddPayload(op, adder);
  }
  return absl::OkStatus();
}

}  // namespace posenc::server
