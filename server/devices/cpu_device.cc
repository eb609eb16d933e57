#include "server/devices/cpu_device.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

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

  explicit EncodingCursor(const RowMap& map)
      : map_(map),
        left_(map.run - map.first % map.run),
        index_(map.first / map.run % map.rows.size()) {}

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
  std::size_t index_;
};

// Adds encodings to contiguous elements.
class Adder {
 public:
  Adder(const Kernels& kernels, DType input_dtype, const AddOp& op)
      : add_(kernels.Add(input_dtype, op.output_dtype)),
        scale_(op.scale),
        input_size_(SizeOf(input_dtype)),
        output_size_(SizeOf(op.output_dtype)) {}

  // Returns the end of the output. `encoding` is null for zeros.
  std::byte* Add(const std::byte* input, const double* encoding,
                 std::uint64_t elements, std::byte* output) const {
    if (encoding != nullptr) {
      return AddPiece(input, encoding, elements, output);
    }
    while (elements > 0) {
      const std::uint64_t piece = std::min<std::uint64_t>(elements, kZeros);
      output = AddPiece(input, kZeroRow.data(), piece, output);
      input += piece * input_size_;
      elements -= piece;
    }
    return output;
  }

 private:
  std::byte* AddPiece(const std::byte* input, const double* encoding,
                      std::uint64_t elements, std::byte* output) const {
    add_(input, encoding, scale_, output, elements);
    return output + elements * output_size_;
  }

  AddFunction add_;
  double scale_;
  std::size_t input_size_;
  std::size_t output_size_;
};

const double* After(const double* values, std::uint64_t elements) {
  return values == nullptr ? nullptr : values + elements;
}

// Hands each run of the payload, with its encoding, to `add`.
template <typename AddRun>
void WalkPayload(const AddOp& op, PayloadCursor& payload, AddRun add) {
  EncodingCursor encodings(op.encoding);
  for (std::uint64_t rows_left = op.rows; rows_left > 0;) {
    const EncodingCursor::Run encoding = encodings.Next(rows_left);
    rows_left -= encoding.rows;
    const double* values = encoding.values;
    for (std::uint64_t left = encoding.rows * op.width; left > 0;) {
      const PayloadCursor::Run run = payload.Next(left);
      add(run, values);
      values = After(values, run.elements);
      left -= run.elements;
    }
  }
}

void AddPayload(const AddOp& op, PayloadCursor& payload, const Adder& adder,
                std::byte* output) {
  WalkPayload(op, payload,
              [&](const PayloadCursor::Run& run, const double* encoding) {
                output = adder.Add(run.data, encoding, run.elements, output);
              });
}

void AddToPayload(const AddOp& op, PayloadCursor& payload, const Adder& adder) {
  std::array<std::byte, 8> element;
  WalkPayload(op, payload,
              [&](const PayloadCursor::Run& run, const double* encoding) {
                if (run.stitched) {
                  adder.Add(run.data, encoding, 1, element.data());
                  payload.Overwrite(element.data());
                } else {
                  adder.Add(run.data, encoding, run.elements,
                            const_cast<std::byte*>(run.data));
                }
              });
}

// Asks for the head of a row that comes soon; the CPU follows the rest itself.
void PrefetchRow(const std::byte* row, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kLines = 4;
  for (std::size_t i = 0; i < std::min(bytes, kLines * kLine); i += kLine) {
    __builtin_prefetch(row + i);
  }
}

void AddGathered(const AddOp& op, const Adder& adder, std::byte* output) {
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
      output = adder.Add(table.Row(op.ids[row]), values, op.width, output);
      values = After(values, op.width);
    }
  }
}

absl::Status CheckFloats(DType input, DType output) {
  if (IsFloat(input) && IsFloat(output)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("encodings are added to floating-point numbers, not ",
                   Name(input), " to give ", Name(output)));
}

// How an op is cut. Its encoding starts over every `period` rows (the sequences
// of a batch); a tile is the same few rows of every period, so that a thread
// reads those rows' encoding from memory once and from its own cache after
// that.
struct Tiling {
  std::uint64_t period;
  std::uint64_t rows;  // of a tile, within a period
  std::uint64_t tiles;
};

Tiling TilingOf(const AddOp& op, DType input_dtype) {
  // Of input and output: long enough that handing it over costs nothing.
  constexpr std::uint64_t kTileBytes = 2 * kMiB;
  // Of encoding: half of a small L2 cache.
  constexpr std::uint64_t kEncodingBytes = 256 * kKiB;
  const std::uint64_t period =
      std::min(op.rows, op.encoding.rows.size() * op.encoding.run);
  const std::uint64_t periods = (op.rows + period - 1) / period;
  const std::uint64_t row_bytes =
      op.width * (SizeOf(input_dtype) + SizeOf(op.output_dtype));
  if (op.rows * row_bytes <= kTileBytes) return {period, period, 1};
  std::uint64_t rows = kTileBytes / (row_bytes * periods);
  if (periods > 1) {
    rows = std::min(rows, kEncodingBytes / (op.width * sizeof(double)));
  }
  rows = std::clamp<std::uint64_t>(rows, 1, period);
  const std::uint64_t tiles = (period + rows - 1) / rows;
  return {period, (period + tiles - 1) / tiles, tiles};
}

// Calls `run` for stretches of rows that make up the op, on several threads:
// with the stretch as an op of its own, its first row, and a cursor at its
// input.
template <typename Run>
void RunTiled(const AddOp& op, DType input_dtype, WorkerPool& workers,
              Run run) {
  const Tiling tiling = TilingOf(op, input_dtype);
  const std::size_t row_bytes = op.width * SizeOf(input_dtype);
  const auto run_tile = [&](std::size_t tile) {
    PayloadCursor payload(op.input, SizeOf(input_dtype));
    std::uint64_t walked = 0;
    const std::uint64_t begin = tile * tiling.rows;
    const std::uint64_t end = std::min(begin + tiling.rows, tiling.period);
    for (std::uint64_t first = begin; first < op.rows && begin < end;
         first += tiling.period) {
      AddOp stretch = op;
      stretch.rows = std::min(end - begin, op.rows - first);
      stretch.encoding.first += first;
      if (op.gather != nullptr) {
        stretch.ids = op.ids.subspan(first, stretch.rows);
      } else {
        payload.Skip((first - walked) * row_bytes);
      }
      walked = first + stretch.rows;
      run(stretch, first, payload);
    }
  };
  // By reference, so that handing it over needs no memory.
  workers.ForEach(tiling.tiles, std::ref(run_tile));
}

}  // namespace

CpuDevice::CpuDevice(const Kernels& kernels, std::uint64_t max_response_bytes,
                     WorkerPool& workers)
    : kernels_(kernels),
      workers_(workers),
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
  const absl::Status floats = CheckFloats(input_dtype, op.output_dtype);
  if (!floats.ok() || op.rows == 0 || op.width == 0) return floats;
  const Adder adder(kernels_, input_dtype, op);
  const std::size_t row_bytes = op.width * SizeOf(op.output_dtype);
  RunTiled(
      op, input_dtype, workers_,
      [&](const AddOp& stretch, std::uint64_t first, PayloadCursor& payload) {
        std::byte* to = output.data() + first * row_bytes;
        if (stretch.gather != nullptr) {
          AddGathered(stretch, adder, to);
        } else {
          AddPayload(stretch, payload, adder, to);
        }
      });
  return absl::OkStatus();
}

absl::Status CpuDevice::AddInPlace(const AddOp& op) {
  const absl::Status floats = CheckFloats(op.input_dtype, op.output_dtype);
  if (!floats.ok() || op.rows == 0 || op.width == 0) return floats;
  const Adder adder(kernels_, op.input_dtype, op);
  RunTiled(op, op.input_dtype, workers_,
           [&](const AddOp& stretch, std::uint64_t, PayloadCursor& payload) {
             AddToPayload(stretch, payload, adder);
           });
  return absl::OkStatus();
}

}  // namespace posenc::server
