#include "server/devices/cpu_ops.h"
#include "server/devices/cpu_table.h"
#include "server/devices/encoding_cursor.h"
#include "server/devices/op_tiling.h"
#include "server/devices/payload_cursor.h"

namespace posenc::server {
namespace {

// Rows whose encodings the kernel finds by a stride.
struct RowRun {
  const double* encoding;  // null for rows that are not turned
  std::uint64_t rows;
  std::size_t stride;  // 0 for rows that share one, or have none

  // Drops the first rows.
  void Skip(std::uint64_t count) {
    rows -= count;
    encoding += count * stride;
  }
};

// Turns contiguous rows.
class Rotator {
 public:
  Rotator(const Kernels& kernels, const RotateOp& op)
      : rotate_(
            kernels.RotatePairs(op.pairing, op.SourceDType(), op.output_dtype)),
        op_(op),
        input_row_bytes_(op.width * SizeOf(op.SourceDType())),
        output_row_bytes_(op.width * SizeOf(op.output_dtype)) {}

  std::size_t input_row_bytes() const { return input_row_bytes_; }
  std::size_t output_row_bytes() const { return output_row_bytes_; }

  // The next rows of `encodings` that can be taken together, max_rows at most.
  RowRun NextRun(EncodingCursor& encodings, std::uint64_t max_rows) const {
    const bool shared = op_.encoding.run > 1;
    const EncodingCursor::Run run =
        shared ? encodings.NextShared(max_rows) : encodings.Next(max_rows);
    const bool strides = !shared && run.values != nullptr;
    return {run.values, run.rows, strides ? 2 * op_.pairs : 0};
  }

  // Turns the first `rows` rows of a run; returns the end of the output.
  std::byte* Rotate(const std::byte* input, const RowRun& run,
                    std::uint64_t rows, std::byte* output) const {
    rotate_(input, run.encoding,
            {.rows = rows,
             .width = op_.width,
             .pairs = run.encoding == nullptr ? 0 : op_.pairs,
             .encoding_stride = run.stride,
             .scale = op_.scale},
            output);
    return output + rows * output_row_bytes_;
  }

 private:
  RotatePairsFunction rotate_;
  const RotateOp& op_;
  std::size_t input_row_bytes_;
  std::size_t output_row_bytes_;
};

// Hands the rows of the payload, as many as lie together, with their encodings,
// to `rotate`.
template <typename RotateRun>
void WalkRows(const RotateOp& op, const Rotator& rotator,
              PayloadCursor& payload, RotateRun rotate) {
  EncodingCursor encodings(op.encoding);
  for (std::uint64_t left = op.rows; left > 0;) {
    RowRun run = rotator.NextRun(encodings, left);
    left -= run.rows;
    while (run.rows > 0) {
      const PayloadCursor::Run rows = payload.Next(run.rows);
      rotate(rows, run);
      run.Skip(rows.elements);
    }
  }
}

void RotatePayload(const RotateOp& op, PayloadCursor& payload,
                   const Rotator& rotator, std::byte* output) {
  WalkRows(op, rotator, payload,
           [&](const PayloadCursor::Run& rows, const RowRun& run) {
             output = rotator.Rotate(rows.data, run, rows.elements, output);
           });
}

void RotateWithinPayload(const RotateOp& op, PayloadCursor& payload,
                         const Rotator& rotator) {
  WalkRows(op, rotator, payload,
           [&](const PayloadCursor::Run& rows, const RowRun& run) {
             auto* data = const_cast<std::byte*>(rows.data);
             rotator.Rotate(data, run, rows.elements, data);
             if (rows.stitched) payload.Overwrite(data);
           });
}

void RotateGathered(const RotateOp& op, const Rotator& rotator,
                    std::byte* output) {
  const CpuTable& table = AsCpuTable(op.gather);
  EncodingCursor encodings(op.encoding);
  for (std::uint64_t row = 0; row < op.rows;) {
    RowRun run = rotator.NextRun(encodings, op.rows - row);
    for (; run.rows > 0; run.Skip(1), ++row) {
      if (kRowsAhead < op.rows - row) {
        PrefetchRow(table, op.ids[row + kRowsAhead]);
      }
      output = rotator.Rotate(table.Row(op.ids[row]), run, 1, output);
    }
  }
}

}  // namespace

void RunRotate(const Kernels& kernels, WorkerPool& workers, const RotateOp& op,
               std::byte* output) {
  const Rotator rotator(kernels, op);
  RunTiled(op, rotator.input_row_bytes(), workers,
           [&](const RotateOp& stretch, std::uint64_t first,
               PayloadCursor& payload) {
             std::byte* to = output + first * rotator.output_row_bytes();
             if (stretch.gather != nullptr) {
               RotateGathered(stretch, rotator, to);
             } else {
               RotatePayload(stretch, payload, rotator, to);
             }
           });
}

void RunRotateInPlace(const Kernels& kernels, WorkerPool& workers,
                      const RotateOp& op) {
  const Rotator rotator(kernels, op);
  RunTiled(op, rotator.input_row_bytes(), workers,
           [&](const RotateOp& stretch, std::uint64_t, PayloadCursor& payload) {
             RotateWithinPayload(stretch, payload, rotator);
           });
}

}  // namespace posenc::server
