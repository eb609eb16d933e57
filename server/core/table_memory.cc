#include "server/core/table_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "server/base/limits.h"

namespace posenc::server {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = 2 * kMiB;
// Below this, clearing a huge page costs more than the small pages would.
constexpr std::size_t kSmallestBlock = 256 * kKiB;
// What is written before the first chunk asks for it, at most and as a share of
// the capacity: a table of 5000 positions of d_model 1024 fits.
constexpr std::size_t kPreparedBytes = 32 * kMiB;
constexpr std::size_t kPreparedShare = 16;
constexpr std::size_t kMostAddresses = std::size_t{1} << 46;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

constexpr std::size_t RoundUp(std::size_t size, std::size_t unit) {
  return (size + unit - 1) / unit * unit;
}

}  // namespace

std::shared_ptr<TableMemory> TableMemory::Create(std::uint64_t capacity_bytes) {
  return std::shared_ptr<TableMemory>(new TableMemory(capacity_bytes));
}

// Without a mapping every block comes from the heap.
TableMemory::TableMemory(std::uint64_t capacity_bytes) {
  if (capacity_bytes < kSmallestBlock || capacity_bytes > kMostAddresses) {
    return;
  }
  const std::size_t size = RoundUp(capacity_bytes, kHugePage);
  void* data = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return;
  // Old kernels align no mapping to huge pages.
  const std::size_t skipped =
      (kHugePage - reinterpret_cast<std::uintptr_t>(data) % kHugePage) %
      kHugePage;
  base_ = static_cast<std::byte*>(data) + skipped;
  size_ = size;
  if (skipped > 0) munmap(data, skipped);
  munmap(base_ + size_, kHugePage - skipped);
  prepared_ =
      std::min(kPreparedBytes, size_ / kPreparedShare / kHugePage * kHugePage);
  // Only advice: without it the memory is as good, and slower to get.
  (void)madvise(base_, size_, MADV_HUGEPAGE);
  (void)madvise(base_, prepared_, MADV_POPULATE_WRITE);
  free_[0] = size_;
}

TableMemory::~TableMemory() {
  if (base_ != nullptr) munmap(base_, size_);
}

std::shared_ptr<double> TableMemory::Allocate(std::size_t count) {
  const std::size_t size = RoundUp(count * sizeof(double), kAlignment);
  const std::size_t offset = size < kSmallestBlock ? kNone : Take(size);
  if (offset == kNone) {
    return {static_cast<double*>(std::aligned_alloc(kAlignment, size)),
            std::free};
  }
  return {reinterpret_cast<double*>(base_ + offset),
          [self = shared_from_this(), offset, size](double*) {
            self->GiveBack(offset, size);
          }};
}

// The lowest block that is large enough, since low addresses have been written
// before.
std::size_t TableMemory::Take(std::size_t size) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(free_.begin(), free_.end(),
                   [size](const auto& block) { return block.second >= size; });
  if (found == free_.end()) return kNone;
  const auto [offset, available] = *found;
  free_.erase(found);
  if (available > size) free_[offset + size] = available - size;
  return offset;
}

void TableMemory::GiveBack(std::size_t offset, std::size_t size) {
  const std::lock_guard lock(mutex_);
  auto next = free_.upper_bound(offset);
  if (next != free_.end() && next->first == offset + size) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      size += previous->second;
    }
  }
  free_[offset] = size;
  if (size == size_) {
    (void)madvise(base_ + prepared_, size_ - prepared_, MADV_DONTNEED);
  }
}

}  // namespace posenc::server
