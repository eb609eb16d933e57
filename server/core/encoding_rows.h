#ifndef POSENC_SERVER_CORE_ENCODING_ROWS_H_
#define POSENC_SERVER_CORE_ENCODING_ROWS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/position_list.h"
#include "server/core/table_cache.h"
#include "server/devices/device.h"

namespace posenc::server {

// A chunk is hardly used where a request that touches many wants fewer than
// kDenseRows of its rows: building it would cost more than those rows.
inline constexpr std::size_t kDenseRows = 16;

// The encoding rows of a request, on the device, pinned while this lives.
class EncodingRows {
 public:
  // Rows for every position of the list, which CheckRange has passed. Chunks
  // come from the cache; positions that are not integers or are said by
  // several numbers, and integers so far apart that whole chunks would be
  // wasted on them, get rows of their own, of the same bits. RESOURCE_EXHAUSTED
  // if either is over the cache's budget.
  static absl::StatusOr<EncodingRows> Get(
      TableCache& cache, const std::shared_ptr<TableCache::Entry>& entry,
      Device& device, const PositionList& positions);

  RowMap map() const { return {.rows = rows_, .run = run_}; }

 private:
  std::vector<TableRow> rows_;
  std::uint64_t run_ = 1;
  std::vector<Chunk> chunks_;
  std::unique_ptr<DeviceTable> own_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODING_ROWS_H_
