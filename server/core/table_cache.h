#ifndef POSENC_SERVER_CORE_TABLE_CACHE_H_
#define POSENC_SERVER_CORE_TABLE_CACHE_H_

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/base/worker_pool.h"
#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"
#include "server/core/encodings/registry.h"
#include "server/core/table_memory.h"
#include "server/devices/device.h"

namespace posenc::server {

// Rows [index * kChunkRows, (index + 1) * kChunkRows) of an encoding, on the
// device. Immutable; a holder of the pointer pins it.
using Chunk = std::shared_ptr<const DeviceTable>;

// The encodings in use and the chunks of their tables, under one byte budget;
// the least recently used are dropped first, pinned ones never. A chunk that
// several callers miss at once is built by one of them, while the others wait.
// Thread-safe.
class TableCache {
 public:
  // An encoding that the cache knows, and its share of the cache.
  struct Entry;

  struct EntryStats {
    EncodingSpec spec;
    std::uint64_t chunks = 0;
    std::uint64_t bytes = 0;
    std::uint64_t chunks_built = 0;
    std::uint64_t hits = 0;
  };

  struct Stats {
    std::vector<EntryStats> entries;  // most recently used first
    std::uint64_t bytes = 0;
    std::uint64_t capacity_bytes = 0;
    std::uint64_t hits = 0;
    std::uint64_t chunks_built = 0;
    std::uint64_t chunks_evicted = 0;
  };

  struct Evicted {
    std::uint64_t chunks = 0;
    std::uint64_t bytes = 0;
  };

  // Whether Acquire may build a chunk that it does not find.
  enum class Miss { kBuild, kSkip };

  // `device` must outlive the cache and every chunk. `workers`, which must
  // outlive the cache, help to build chunks that are wanted together.
  TableCache(Device& device, std::uint64_t capacity_bytes, WorkerPool& workers);
  ~TableCache();

  // The encoding of that recipe, made if it is not held. `spec` is what stats
  // show. RESOURCE_EXHAUSTED if it alone is over the budget.
  absl::StatusOr<std::shared_ptr<Entry>> Find(const EncodingRecipe& recipe,
                                              const EncodingSpec& spec);

  // The same entry again, as used now; null if the cache has forgotten it.
  std::shared_ptr<Entry> Hold(const std::weak_ptr<Entry>& entry);

  // The chunks of those indices, which are distinct, in that order, pinned.
  // With kSkip, those that are not held are null. `built` counts the ones that
  // this call built. RESOURCE_EXHAUSTED, with both numbers, if they do not fit
  // the budget.
  absl::StatusOr<std::vector<Chunk>> Acquire(
      const std::shared_ptr<Entry>& entry,
      std::span<const std::int64_t> indices, Miss miss,
      std::uint64_t* built = nullptr);

  static const Encoding& EncodingOf(const Entry& entry);

  Stats GetStats() const;
  std::uint64_t capacity_bytes() const { return capacity_bytes_; }

  // Drops the chunks of the encoding with that key, or of all. Those in use
  // stay alive until their users let go.
  Evicted Evict(const std::optional<std::string>& key);

 private:
  struct Slot;
  using SlotList = std::list<std::shared_ptr<Slot>>;
  using EntryList = std::list<std::shared_ptr<Entry>>;

  absl::Status Reserve(std::uint64_t bytes);
  absl::Status MakeRoomForEntry();
  void Drop(SlotList::iterator slot);
  void ForgetIdleEntries();
  // `streamed`: with Encoding::StreamRows.
  absl::StatusOr<Chunk> Build(const Encoding& encoding, std::int64_t index,
                              bool streamed);
  void BuildSlot(Entry& entry, const std::shared_ptr<Slot>& slot,
                 bool streamed);

  Device& device_;
  const std::uint64_t capacity_bytes_;
  WorkerPool& workers_;
  const std::shared_ptr<TableMemory> memory_;

  mutable std::mutex mutex_;
  std::condition_variable built_;
  // All below is guarded by mutex_. Front: most recently used.
  EntryList entries_;
  std::unordered_map<std::string, EntryList::iterator> by_key_;
  SlotList slots_;
  std::uint64_t bytes_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t chunks_built_ = 0;
  std::uint64_t chunks_evicted_ = 0;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_TABLE_CACHE_H_
