#ifndef POSENC_SERVER_DEVICES_ENCODING_CURSOR_H_
#define POSENC_SERVER_DEVICES_ENCODING_CURSOR_H_

#include <cstddef>
#include <cstdint>

#include "server/devices/device.h"

namespace posenc::server {

// Walks a RowMap, over tables of the CPU device, in runs of output rows whose
// encodings can be taken together. Not thread-safe.
class EncodingCursor {
 public:
  struct Run {
    const double* values;  // null for rows without a table
    std::uint64_t rows;
  };

  // `map` outlives the cursor.
  explicit EncodingCursor(const RowMap& map)
      : map_(map),
        left_(map.run - map.first % map.run),
        index_(map.first / map.run % map.rows.size()) {}

  // The next 1 … max_rows rows, whose encodings follow each other in memory.
  // REQUIRES: max_rows > 0 and a map with rows.
  Run Next(std::uint64_t max_rows);

  // The next 1 … max_rows rows, which share one encoding. REQUIRES: as above.
  Run NextShared(std::uint64_t max_rows);

 private:
  void Advance();

  const RowMap& map_;
  std::uint64_t left_;
  std::size_t index_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_DEVICES_ENCODING_CURSOR_H_
