#include "server/core/encoding_rows.h"

#include <cmath>
#include <limits>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "server/base/checked_math.h"
#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

// A request that touches no more chunks than this builds them all.
constexpr std::size_t kDenseChunks = 4;

// The chunks that a list of positions touches, in order of first use.
struct Touched {
  std::vector<std::int64_t> indices;
  std::vector<std::size_t> wanted;            // rows of each
  std::vector<std::uint32_t> chunk_of_value;  // index into both, or kNone
  static constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
};

bool IsInteger(double position) { return std::trunc(position) == position; }

Touched FindChunks(const PositionList& list) {
  Touched touched;
  if (list.numbers > 1) {
    // Places that no chunk has.
    touched.chunk_of_value.assign(list.count(), Touched::kNone);
    return touched;
  }
  const std::vector<double>& positions = list.values;
  touched.chunk_of_value.reserve(positions.size());
  std::unordered_map<std::int64_t, std::uint32_t> known;
  std::int64_t last_index = 0;
  std::uint32_t last = Touched::kNone;
  for (const double position : positions) {
    if (!IsInteger(position)) {  // a fraction, or padding
      touched.chunk_of_value.push_back(Touched::kNone);
      continue;
    }
    const std::int64_t index = ChunkOf(static_cast<std::int64_t>(position));
    if (last == Touched::kNone || index != last_index) {
      const auto next = static_cast<std::uint32_t>(touched.indices.size());
      // Most requests touch one chunk, for which no map is needed.
      if (next == 1) known.emplace(touched.indices[0], 0);
      const auto found = known.find(index);
      if (found != known.end()) {
        last = found->second;
      } else {
        if (next > 0) known.emplace(index, next);
        touched.indices.push_back(index);
        touched.wanted.push_back(0);
        last = next;
      }
      last_index = index;
    }
    ++touched.wanted[last];
    touched.chunk_of_value.push_back(last);
  }
  return touched;
}

// The chunks that are worth having, built if need be, and the others where they
// are held already; null where they are not.
absl::StatusOr<std::vector<Chunk>> GetChunks(
    TableCache& cache, const std::shared_ptr<TableCache::Entry>& entry,
    const Touched& touched) {
  if (touched.indices.size() <= kDenseChunks) {
    return cache.Acquire(entry, touched.indices, TableCache::Miss::kBuild);
  }
  std::vector<std::int64_t> dense, sparse;
  for (std::size_t i = 0; i < touched.indices.size(); ++i) {
    (touched.wanted[i] >= kDenseRows ? dense : sparse)
        .push_back(touched.indices[i]);
  }
  auto built = cache.Acquire(entry, dense, TableCache::Miss::kBuild);
  if (!built.ok()) return built.status();
  auto found = cache.Acquire(entry, sparse, TableCache::Miss::kSkip);
  if (!found.ok()) return found.status();
  std::vector<Chunk> chunks;
  auto next_dense = built->begin();
  auto next_sparse = found->begin();
  for (const std::size_t wanted : touched.wanted) {
    chunks.push_back(wanted >= kDenseRows ? *next_dense++ : *next_sparse++);
  }
  return chunks;
}

absl::Status BuildOne(const Encoding& encoding,
                      std::span<const double> position, std::span<double> row) {
  if (position.size() > 1) return encoding.BuildRowAt(position, row);
  if (IsInteger(position[0])) {
    return encoding.BuildRows(static_cast<std::int64_t>(position[0]), row);
  }
  return encoding.BuildRow(position[0], row);
}

// A table with a row for each of the list's positions at these indices.
absl::StatusOr<std::unique_ptr<DeviceTable>> BuildOwn(
    Device& device, const Encoding& encoding, const PositionList& positions,
    const std::vector<std::size_t>& indices, std::uint64_t capacity_bytes) {
  const std::uint64_t width = encoding.width();
  const std::uint64_t elements =
      CheckedMultiply(indices.size(), width)
          .value_or(std::numeric_limits<std::uint64_t>::max());
  if (elements > capacity_bytes / sizeof(double)) {
    return Error(
        absl::StatusCode::kResourceExhausted, "CACHE_BUDGET",
        absl::StrCat("rows of ", width, " elements of ", indices.size(),
                     " scattered positions are more than the ", capacity_bytes,
                     " bytes that the cache holds (--cache-bytes)"));
  }
  auto rows = std::make_shared<std::vector<double>>(elements);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const absl::Status status =
        BuildOne(encoding, positions.at(indices[i]),
                 std::span(*rows).subspan(i * width, width));
    if (!status.ok()) return status;
  }
  return device.Hold({.dtype = DType::kFloat64,
                      .rows = indices.size(),
                      .width = width,
                      .data = reinterpret_cast<std::byte*>(rows->data()),
                      .owner = rows});
}

}  // namespace

absl::StatusOr<EncodingRows> EncodingRows::Get(
    TableCache& cache, const std::shared_ptr<TableCache::Entry>& entry,
    Device& device, const PositionList& positions) {
  const Touched touched = FindChunks(positions);
  auto chunks = GetChunks(cache, entry, touched);
  if (!chunks.ok()) return chunks.status();
  EncodingRows result;
  result.run_ = positions.run;
  result.chunks_ = *std::move(chunks);
  result.rows_.resize(positions.count());
  std::vector<std::size_t> own;  // indices of positions
  for (std::size_t i = 0; i < positions.count(); ++i) {
    const double position = positions.at(i)[0];
    if (PositionList::IsPadding(position)) continue;
    const std::uint32_t at = touched.chunk_of_value[i];
    const DeviceTable* chunk =
        at == Touched::kNone ? nullptr : result.chunks_[at].get();
    if (chunk == nullptr) {
      own.push_back(i);
    } else {
      const auto row = static_cast<std::int64_t>(position) -
                       touched.indices[at] * kChunkRows;
      result.rows_[i] = {chunk, static_cast<std::uint64_t>(row)};
    }
  }
  if (own.empty()) return result;
  auto table = BuildOwn(device, TableCache::EncodingOf(*entry), positions, own,
                        cache.capacity_bytes());
  if (!table.ok()) return table.status();
  result.own_ = *std::move(table);
  for (std::size_t k = 0; k < own.size(); ++k) {
    result.rows_[own[k]] = {result.own_.get(), k};
  }
  return result;
}

}  // namespace posenc::server
