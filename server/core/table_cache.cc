#include "server/core/table_cache.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

// Chunks that are built together are read together, after the last one: from
// here up, in bytes, little of the first is then still in a shared cache.
constexpr std::uint64_t kStreamedBytes = 8 * kMiB;

absl::Status Exhausted(absl::string_view message) {
  return Error(absl::StatusCode::kResourceExhausted, "CACHE_BUDGET", message);
}

}  // namespace

struct TableCache::Slot {
  enum class State { kBuilding, kReady, kFailed };
  Entry* entry = nullptr;  // alive while the slot is in its map
  std::int64_t index = 0;
  State state = State::kBuilding;
  absl::Status error;
  Chunk chunk;
  SlotList::iterator place;  // in slots_, when ready and not dropped
};

struct TableCache::Entry {
  std::string key;
  EncodingSpec spec;
  EntryList::iterator place;  // in entries_, while it is held
  std::once_flag made;
  absl::Status error;  // of making it
  std::shared_ptr<const Encoding> encoding;
  std::uint64_t chunk_bytes = 0;
  std::unordered_map<std::int64_t, std::shared_ptr<Slot>> slots;
  std::uint64_t chunks_built = 0;
  std::uint64_t hits = 0;
};

TableCache::TableCache(Device& device, std::uint64_t capacity_bytes,
                       WorkerPool& workers)
    : device_(device),
      capacity_bytes_(capacity_bytes),
      workers_(workers),
      memory_(TableMemory::Create(capacity_bytes)) {}

TableCache::~TableCache() = default;

const Encoding& TableCache::EncodingOf(const Entry& entry) {
  return *entry.encoding;
}

absl::StatusOr<std::shared_ptr<TableCache::Entry>> TableCache::Find(
    const EncodingRecipe& recipe, const EncodingSpec& spec) {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(recipe.key);
    if (found != by_key_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
    } else {
      const absl::Status room = MakeRoomForEntry();
      if (!room.ok()) return room;
      entries_.push_front(std::make_shared<Entry>());
      entries_.front()->key = recipe.key;
      entries_.front()->spec = spec;
      entries_.front()->place = entries_.begin();
      by_key_[recipe.key] = entries_.begin();
    }
    entry = entries_.front();
  }
  std::call_once(entry->made, [&] {
    auto encoding = recipe.make();
    const std::lock_guard lock(mutex_);
    entry->error = Reserve(encoding->bytes());
    if (entry->error.ok()) {
      entry->chunk_bytes = static_cast<std::uint64_t>(kChunkRows) *
                           encoding->width() * sizeof(double);
      entry->encoding = std::move(encoding);
    } else {
      entries_.erase(by_key_.at(entry->key));
      by_key_.erase(entry->key);
    }
  });
  if (!entry->error.ok()) return entry->error;
  return entry;
}

std::shared_ptr<TableCache::Entry> TableCache::Hold(
    const std::weak_ptr<Entry>& entry) {
  // Under the lock: an entry without users may be forgotten at any time.
  const std::lock_guard lock(mutex_);
  auto held = entry.lock();
  if (held != nullptr) {
    entries_.splice(entries_.begin(), entries_, held->place);
  }
  return held;
}

absl::StatusOr<std::vector<Chunk>> TableCache::Acquire(
    const std::shared_ptr<Entry>& entry, std::span<const std::int64_t> indices,
    Miss miss, std::uint64_t* built) {
  std::vector<Chunk> chunks(indices.size());
  std::vector<std::pair<std::size_t, std::shared_ptr<Slot>>> mine, theirs;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto found = entry->slots.find(indices[i]);
      if (found == entry->slots.end()) {
        if (miss == Miss::kSkip) continue;
        auto slot = std::make_shared<Slot>();
        slot->entry = entry.get();
        slot->index = indices[i];
        mine.emplace_back(i, std::move(slot));
      } else if (found->second->state == Slot::State::kReady) {
        slots_.splice(slots_.begin(), slots_, found->second->place);
        chunks[i] = found->second->chunk;
        ++entry->hits;
        ++hits_;
      } else if (miss == Miss::kBuild) {
        theirs.emplace_back(i, found->second);
      }
    }
    if (mine.empty() && theirs.empty()) {
      if (built != nullptr) *built = 0;
      return chunks;
    }
    const absl::Status room = Reserve(mine.size() * entry->chunk_bytes);
    if (!room.ok()) return room;
    for (const auto& [i, slot] : mine) entry->slots.emplace(slot->index, slot);
  }
  const bool streamed = mine.size() * entry->chunk_bytes >= kStreamedBytes;
  workers_.ForEach(mine.size(), [&](std::size_t i) {
    BuildSlot(*entry, mine[i].second, streamed);
  });
  if (built != nullptr) *built = mine.size();
  theirs.insert(theirs.end(), mine.begin(), mine.end());
  std::unique_lock lock(mutex_);
  for (const auto& [i, slot] : theirs) {
    built_.wait(lock, [&, &waited = *slot] {
      return waited.state != Slot::State::kBuilding;
    });
    if (slot->state == Slot::State::kFailed) return slot->error;
    chunks[i] = slot->chunk;
  }
  return chunks;
}

void TableCache::BuildSlot(Entry& entry, const std::shared_ptr<Slot>& slot,
                           bool streamed) {
  absl::StatusOr<Chunk> chunk = Build(*entry.encoding, slot->index, streamed);
  {
    const std::lock_guard lock(mutex_);
    if (chunk.ok()) {
      slot->chunk = *std::move(chunk);
      slot->state = Slot::State::kReady;
      slots_.push_front(slot);
      slot->place = slots_.begin();
      ++entry.chunks_built;
      ++chunks_built_;
    } else {
      slot->error = chunk.status();
      slot->state = Slot::State::kFailed;
      entry.slots.erase(slot->index);
      bytes_ -= entry.chunk_bytes;
    }
  }
  built_.notify_all();
}

absl::StatusOr<Chunk> TableCache::Build(const Encoding& encoding,
                                        std::int64_t index, bool streamed) {
  const std::size_t elements =
      static_cast<std::size_t>(kChunkRows) * encoding.width();
  const std::shared_ptr<double> rows = memory_->Allocate(elements);
  if (rows == nullptr) {
    return Exhausted(absl::StrCat("no memory for a chunk of ",
                                  elements * sizeof(double), " bytes"));
  }
  const std::int64_t first = index * kChunkRows;
  const std::span<double> all(rows.get(), elements);
  const absl::Status status = streamed ? encoding.StreamRows(first, all)
                                       : encoding.BuildRows(first, all);
  if (!status.ok()) return status;
  auto held = device_.Hold({.dtype = DType::kFloat64,
                            .rows = static_cast<std::uint64_t>(kChunkRows),
                            .width = encoding.width(),
                            .data = reinterpret_cast<std::byte*>(rows.get()),
                            .owner = rows});
  if (!held.ok()) return held.status();
  return Chunk(*std::move(held));
}

// Charges the bytes, after dropping what is least recently used to make room.
absl::Status TableCache::Reserve(std::uint64_t bytes) {
  if (bytes > capacity_bytes_) {
    return Exhausted(absl::StrCat("the encoding's rows need ", bytes,
                                  " bytes, but the cache holds at most ",
                                  capacity_bytes_, " (--cache-bytes)"));
  }
  for (auto slot = slots_.end();
       bytes_ + bytes > capacity_bytes_ && slot != slots_.begin();) {
    const auto candidate = std::prev(slot);
    if ((*candidate)->chunk.use_count() == 1) {
      Drop(candidate);
    } else {
      slot = candidate;
    }
  }
  if (bytes_ + bytes > capacity_bytes_) ForgetIdleEntries();
  if (bytes_ + bytes > capacity_bytes_) {
    return Exhausted(absl::StrCat(
        "the encoding's rows need ", bytes, " bytes, but ", bytes_, " of the ",
        capacity_bytes_,
        " that the cache holds (--cache-bytes) are in use by other requests"));
  }
  bytes_ += bytes;
  return absl::OkStatus();
}

void TableCache::Drop(SlotList::iterator slot) {
  Entry& entry = *(*slot)->entry;
  bytes_ -= entry.chunk_bytes;
  ++chunks_evicted_;
  entry.slots.erase((*slot)->index);
  slots_.erase(slot);
}

absl::Status TableCache::MakeRoomForEntry() {
  if (entries_.size() < kMaxCachedEncodings) return absl::OkStatus();
  ForgetIdleEntries();
  for (auto slot = slots_.end();
       entries_.size() >= kMaxCachedEncodings && slot != slots_.begin();) {
    const auto candidate = std::prev(slot);
    if ((*candidate)->chunk.use_count() == 1) {
      Drop(candidate);
      ForgetIdleEntries();
    } else {
      slot = candidate;
    }
  }
  if (entries_.size() < kMaxCachedEncodings) return absl::OkStatus();
  return Exhausted(absl::StrCat("all of the ", kMaxCachedEncodings,
                                " encodings that the cache holds are in use"));
}

// Forgets encodings that nobody uses and that have no chunks.
void TableCache::ForgetIdleEntries() {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (entry->use_count() > 1 || !(*entry)->slots.empty()) {
      ++entry;
      continue;
    }
    bytes_ -= (*entry)->encoding->bytes();
    by_key_.erase((*entry)->key);
    entry = entries_.erase(entry);
  }
}

TableCache::Stats TableCache::GetStats() const {
  const std::lock_guard lock(mutex_);
  Stats stats{.bytes = bytes_,
              .capacity_bytes = capacity_bytes_,
              .hits = hits_,
              .chunks_built = chunks_built_,
              .chunks_evicted = chunks_evicted_};
  for (const auto& entry : entries_) {
    if (entry->chunks_built == 0) continue;
    stats.entries.push_back({.spec = entry->spec,
                             .chunks = entry->slots.size(),
                             .bytes = entry->slots.size() * entry->chunk_bytes,
                             .chunks_built = entry->chunks_built,
                             .hits = entry->hits});
  }
  return stats;
}

TableCache::Evicted TableCache::Evict(const std::optional<std::string>& key) {
  const std::lock_guard lock(mutex_);
  Evicted evicted;
  for (auto slot = slots_.begin(); slot != slots_.end();) {
    const auto next = std::next(slot);
    const Entry& entry = *(*slot)->entry;
    if (!key || entry.key == *key) {
      ++evicted.chunks;
      evicted.bytes += entry.chunk_bytes;
      Drop(slot);
    }
    slot = next;
  }
  ForgetIdleEntries();
  return evicted;
}

}  // namespace posenc::server
