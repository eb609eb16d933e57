#include <algorithm>
#include <array>

#include "server/devices/cpu_ops.h"
#include "server/devices/cpu_table.h"
#include "server/devices/encoding_cursor.h"
#include "server/devices/op_tiling.h"
#include "server/devices/payload_cursor.h"

namespace posenc::server {
namespace {

// What stands for a row of zeros, a piece at a time.
constexpr std::size_t kZeros = 1024;
alignas(64) constexpr std::array<double, kZeros> kZeroRow{};

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
  WalkPayload(op, payload,
              [&](const PayloadCursor::Run& run, const double* encoding) {
                auto* data = const_cast<std::byte*>(run.data);
                adder.Add(data, encoding, run.elements, data);
                if (run.stitched) payload.Overwrite(data);
              });
}

void AddGathered(const AddOp& op, const Adder& adder, std::byte* output) {
  const CpuTable& table = AsCpuTable(op.gather);
  EncodingCursor encodings(op.encoding);
  for (std::uint64_t row = 0; row < op.rows;) {
    const EncodingCursor::Run encoding = encodings.Next(op.rows - row);
    const double* values = encoding.values;
    for (const std::uint64_t end = row + encoding.rows; row < end; ++row) {
      if (kRowsAhead < op.rows - row) {
        PrefetchRow(table, op.ids[row + kRowsAhead]);
      }
      output = adder.Add(table.Row(op.ids[row]), values, op.width, output);
      values = After(values, op.width);
    }
  }
}

}  // namespace

void RunAdd(const Kernels& kernels, WorkerPool& workers, const AddOp& op,
            std::byte* output) {
  const Adder adder(kernels, op.SourceDType(), op);
  const std::size_t row_bytes = op.width * SizeOf(op.output_dtype);
  RunTiled(
      op, SizeOf(op.SourceDType()), workers,
      [&](const AddOp& stretch, std::uint64_t first, PayloadCursor& payload) {
        std::byte* to = output + first * row_bytes;
        if (stretch.gather != nullptr) {
          AddGathered(stretch, adder, to);
        } else {
          AddPayload(stretch, payload, adder, to);
        }
      });
}

void RunAddInPlace(const Kernels& kernels, WorkerPool& workers,
                   const AddOp& op) {
  const Adder adder(kernels, op.input_dtype, op);
  RunTiled(op, SizeOf(op.input_dtype), workers,
           [&](const AddOp& stretch, std::uint64_t, PayloadCursor& payload) {
             AddToPayload(stretch, payload, adder);
           });
}

}  // namespace posenc::server
