#ifndef POSENC_SERVER_DEVICES_OP_TILING_H_
#define POSENC_SERVER_DEVICES_OP_TILING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "server/base/dtype.h"
#include "server/base/worker_pool.h"
#include "server/devices/device.h"
#include "server/devices/payload_cursor.h"

namespace posenc::server {

// How an op is cut. Its encoding starts over every `period` rows (the sequences
// of a batch); a tile is the same few rows of every period, so that a thread
// reads those rows' encoding from memory once and from its own cache after
// that.
struct Tiling {
  std::uint64_t period;
  std::uint64_t rows;  // of a tile, within a period
  std::uint64_t tiles;
};

// REQUIRES: rows, elements in a row, and encodings.
Tiling TilingOf(const RowsOp& op);

// Calls `run` for stretches of rows that make up the op, on several threads:
// with the stretch as an op of its own, its first row, and a cursor at its
// input, which goes in elements of `element_size` bytes.
template <typename Op, typename Run>
void RunTiled(const Op& op, std::size_t element_size, WorkerPool& workers,
              Run run) {
  const Tiling tiling = TilingOf(op);
  const std::size_t row_bytes = op.width * SizeOf(op.SourceDType());
  const auto run_tile = [&](std::size_t tile) {
    PayloadCursor payload(op.input, element_size);
    std::uint64_t walked = 0;
    const std::uint64_t begin = tile * tiling.rows;
    const std::uint64_t end = std::min(begin + tiling.rows, tiling.period);
    for (std::uint64_t first = begin; first < op.rows && begin < end;
         first += tiling.period) {
      Op stretch = op;
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

}  // namespace posenc::server

#endif  // POSENC_SERVER_DEVICES_OP_TILING_H_
