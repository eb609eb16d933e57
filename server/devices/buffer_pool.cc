#include "server/devices/buffer_pool.h"

#include <sys/mman.h>

#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallestSize = kKiB;
// From here up a huge page is filled, and a mapping of its own is worth it.
constexpr std::size_t kSmallestMapping = 2 * kMiB;

struct SizeClass {
  std::size_t index;
  std::size_t size;
};

// The smallest of the sizes 5/8, 6/8, 7/8 and 8/8 of a power of two that holds
// `bytes`, which is at most 2^63.
SizeClass SizeClassOf(std::size_t bytes) {
  if (bytes <= kSmallestSize) return {0, kSmallestSize};
  const auto doubling = static_cast<std::size_t>(std::bit_width(bytes - 1) - 1);
  const std::size_t step = std::size_t{1} << (doubling - 2);
  const std::size_t steps = (bytes + step - 1) / step;
  const auto first =
      static_cast<std::size_t>(std::bit_width(kSmallestSize) - 1);
  return {4 * (doubling - first) + steps - 4, steps * step};
}

std::byte* AllocateFromSystem(std::size_t size) {
  if (size < kSmallestMapping) {
    return static_cast<std::byte*>(std::aligned_alloc(kAlignment, size));
  }
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  // Only advice: without huge pages the buffer is as good, and slower.
  (void)madvise(data, size, MADV_HUGEPAGE);
  return static_cast<std::byte*>(data);
}

void GiveToSystem(void* data, std::size_t size) {
  if (size < kSmallestMapping) {
    std::free(data);
  } else {
    munmap(data, size);
  }
}

absl::Status OverBound(std::size_t bytes, std::uint64_t outstanding,
                       std::uint64_t bound) {
  return Error(
      absl::StatusCode::kResourceExhausted, "RESPONSE_MEMORY",
      absl::StrCat("a response of ", bytes, " bytes on top of ", outstanding,
                   " bytes of responses under way is over the limit of ", bound,
                   " bytes (--max-response-bytes)"));
}

}  // namespace

std::shared_ptr<BufferPool> BufferPool::Create(
    std::uint64_t max_outstanding_bytes, std::uint64_t max_retained_bytes) {
  return std::shared_ptr<BufferPool>(
      new BufferPool(max_outstanding_bytes, max_retained_bytes));
}

BufferPool::BufferPool(std::uint64_t max_outstanding_bytes,
                       std::uint64_t max_retained_bytes)
    : max_outstanding_bytes_(max_outstanding_bytes),
      max_retained_bytes_(max_retained_bytes) {}

BufferPool::~BufferPool() {
  for (FreeBuffer* list : free_) FreeAll(list);
}

void BufferPool::FreeAll(FreeBuffer* list) {
  while (list != nullptr) {
    const FreeBuffer buffer = *list;
    GiveToSystem(list, buffer.size);
    list = buffer.next;
  }
}

BufferPool::FreeBuffer* BufferPool::MakeRoom(std::size_t size) {
  FreeBuffer* unlinked = nullptr;
  if (size > max_retained_bytes_) return unlinked;
  for (std::size_t i = kSizeClasses; i-- > 0;) {
    while (free_[i] != nullptr &&
           counters_.retained_bytes > max_retained_bytes_ - size) {
      FreeBuffer* buffer = free_[i];
      free_[i] = buffer->next;
      counters_.retained_bytes -= buffer->size;
      buffer->next = unlinked;
      unlinked = buffer;
    }
  }
  return unlinked;
}

absl::StatusOr<ResponseBuffer> BufferPool::Allocate(std::size_t bytes) {
  constexpr std::size_t kLargest = std::size_t{1} << 63;
  FreeBuffer* unlinked = nullptr;
  SizeClass size_class{};
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t outstanding = counters_.outstanding_bytes;
    if (bytes > max_outstanding_bytes_ - outstanding || bytes > kLargest) {
      return OverBound(bytes, outstanding, max_outstanding_bytes_);
    }
    counters_.outstanding_bytes += bytes;
    size_class = SizeClassOf(bytes);
    FreeBuffer*& list = free_[size_class.index];
    if (list != nullptr) {
      auto* data = reinterpret_cast<std::byte*>(list);
      list = list->next;
      counters_.retained_bytes -= size_class.size;
      ++counters_.pool_hits;
      return ResponseBuffer(shared_from_this(), data, bytes);
    }
    ++counters_.allocations;
    unlinked = MakeRoom(size_class.size);
  }
  FreeAll(unlinked);
  std::byte* data = AllocateFromSystem(size_class.size);
  if (data == nullptr) {
    const std::lock_guard lock(mutex_);
    counters_.outstanding_bytes -= bytes;
    --counters_.allocations;
    return Error(absl::StatusCode::kResourceExhausted, "RESPONSE_MEMORY",
                 absl::StrCat("the system has no memory for a response of ",
                              bytes, " bytes"));
  }
  return ResponseBuffer(shared_from_this(), data, bytes);
}

void BufferPool::Release(std::byte* data, std::size_t bytes) {
  const SizeClass size_class = SizeClassOf(bytes);
  {
    const std::lock_guard lock(mutex_);
    counters_.outstanding_bytes -= bytes;
    if (size_class.size <= max_retained_bytes_ - counters_.retained_bytes) {
      FreeBuffer*& list = free_[size_class.index];
      list = new (data) FreeBuffer{list, size_class.size};
      counters_.retained_bytes += size_class.size;
      return;
    }
  }
  GiveToSystem(data, size_class.size);
}

BufferPool::Counters BufferPool::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

}  // namespace posenc::server
