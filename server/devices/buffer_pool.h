#ifndef POSENC_SERVER_DEVICES_BUFFER_POOL_H_
#define POSENC_SERVER_DEVICES_BUFFER_POOL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "server/devices/response_buffer.h"

namespace posenc::server {

// Host memory for responses, kept for reuse. Buffers come in sizes four to the
// doubling, 64-byte aligned; those of 2 MiB and more are mappings of their own,
// in huge pages where the system has them. Thread-safe.
class BufferPool : public BufferOwner,
                   public std::enable_shared_from_this<BufferPool> {
 public:
  // What the pool has done and holds.
  struct Counters {
    std::uint64_t allocations = 0;        // buffers got from the system
    std::uint64_t pool_hits = 0;          // buffers used again
    std::uint64_t outstanding_bytes = 0;  // handed out, as asked for
    std::uint64_t retained_bytes = 0;     // free, kept for reuse
  };

  // A pool that hands out at most `max_outstanding_bytes` at a time and keeps
  // at most `max_retained_bytes` of free buffers.
  static std::shared_ptr<BufferPool> Create(std::uint64_t max_outstanding_bytes,
                                            std::uint64_t max_retained_bytes);

  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool() override;

  // A buffer of exactly `bytes` bytes, with unspecified contents.
  // RESOURCE_EXHAUSTED over the bound, with both numbers, or when the system
  // has no memory.
  absl::StatusOr<ResponseBuffer> Allocate(std::size_t bytes);

  // Of buffers from Allocate: keeps the memory or gives it to the system.
  void Release(std::byte* data, std::size_t bytes) override;

  Counters counters() const;

 private:
  // Lies in the free buffer itself, so that Release needs no memory.
  struct FreeBuffer {
    FreeBuffer* next;
    std::size_t size;
  };

  // Four a doubling from the smallest size, 1 KiB, to the end of 64 bits.
  static constexpr std::size_t kSizeClasses = 4 * (64 - 10) + 1;

  BufferPool(std::uint64_t max_outstanding_bytes,
             std::uint64_t max_retained_bytes);

  static void FreeAll(FreeBuffer* list);

  // Unlinks free buffers, the largest first, until `size` more bytes can be
  // kept, and returns them as a list. Needs the lock.
  FreeBuffer* MakeRoom(std::size_t size);

  const std::uint64_t max_outstanding_bytes_;
  const std::uint64_t max_retained_bytes_;
  mutable std::mutex mutex_;
  Counters counters_;
  std::array<FreeBuffer*, kSizeClasses> free_{};
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_DEVICES_BUFFER_POOL_H_
