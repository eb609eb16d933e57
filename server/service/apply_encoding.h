#ifndef POSENC_SERVER_SERVICE_APPLY_ENCODING_H_
#define POSENC_SERVER_SERVICE_APPLY_ENCODING_H_

#include <cstddef>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"
#include "server/core/positions.h"
#include "server/core/table_cache.h"
#include "server/devices/device.h"

namespace posenc::server {

// An encoding that the cache knows, and what is needed to use it. All outlive
// the calls that get it.
struct CachedEncoding {
  TableCache& cache;
  Device& device;
  const std::shared_ptr<TableCache::Entry>& entry;

  const Encoding& encoding() const { return TableCache::EncodingOf(*entry); }
};

// INVALID_ARGUMENT for an encoding that no op puts into embeddings.
absl::Status CheckEncodable(const EncodingSpec& spec, const Encoding& encoding);

// Runs the op that the encoding names, on rows of embeddings at these
// positions; `op` has all but their encodings. Without an output, in place.
// Where there are so many positions that their rows could crowd others out of
// the cache, a piece at a time. RESOURCE_EXHAUSTED if the rows of a piece are
// over the cache's budget.
absl::Status ApplyEncoding(const CachedEncoding& cached,
                           const EncodingSpec& spec,
                           const PositionList& positions, const RowsOp& op,
                           std::span<std::byte> output);

// As above, with an encoding of any op: adds its rows, which are as wide as
// those of the op.
absl::Status AddEncoding(const CachedEncoding& cached,
                         const PositionList& positions, const RowsOp& op,
                         std::span<std::byte> output);

}  // namespace posenc::server

#endif  // POSENC_SERVER_SERVICE_APPLY_ENCODING_H_
