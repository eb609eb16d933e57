#include "server/devices/op_tiling.h"

#include "server/base/limits.h"

namespace posenc::server {

Tiling TilingOf(const RowsOp& op) {
  // Of input and output: long enough that handing it over costs nothing.
  constexpr std::uint64_t kTileBytes = 2 * kMiB;
  // Of encoding: half of a small L2 cache.
  constexpr std::uint64_t kEncodingBytes = 256 * kKiB;
  const std::uint64_t period =
      std::min(op.rows, op.encoding.rows.size() * op.encoding.run);
  const std::uint64_t periods = (op.rows + period - 1) / period;
  const std::uint64_t row_bytes =
      op.width * (SizeOf(op.SourceDType()) + SizeOf(op.output_dtype));
  if (op.rows * row_bytes <= kTileBytes) return {period, period, 1};
  std::uint64_t rows = kTileBytes / (row_bytes * periods);
  if (periods > 1) {
    rows = std::min(rows, kEncodingBytes / (op.width * sizeof(double)));
  }
  rows = std::clamp<std::uint64_t>(rows, 1, period);
  const std::uint64_t tiles = (period + rows - 1) / rows;
  return {period, (period + tiles - 1) / tiles, tiles};
}

}  // namespace posenc::server
