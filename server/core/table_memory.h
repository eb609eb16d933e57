#ifndef POSENC_SERVER_CORE_TABLE_MEMORY_H_
#define POSENC_SERVER_CORE_TABLE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace posenc::server {

// Host memory for the chunks of tables: one mapping, in huge pages where the
// system has them, cut into blocks. Most of what a first build costs is the
// system's handing out of pages: huge ones come several times cheaper a byte,
// and the first few MiB are made ready beforehand. Blocks given back are used
// again; once all are back, so is the rest of their memory. Thread-safe.
class TableMemory : public std::enable_shared_from_this<TableMemory> {
 public:
  // Takes `capacity_bytes` of addresses, a sixteenth of that but no more than
  // 32 MiB of memory, and the rest as blocks are written.
  static std::shared_ptr<TableMemory> Create(std::uint64_t capacity_bytes);

  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;
  ~TableMemory();

  // A block of `count` doubles, 64-byte aligned, with unspecified contents. It
  // keeps this alive. Null if the system has no memory.
  std::shared_ptr<double> Allocate(std::size_t count);

 private:
  explicit TableMemory(std::uint64_t capacity_bytes);

  // The offset of a free block of that size, now in use, or kNone.
  std::size_t Take(std::size_t size);
  void GiveBack(std::size_t offset, std::size_t size);

  std::size_t size_ = 0;
  std::size_t prepared_ = 0;  // bytes of it, that stay
  std::byte* base_ = nullptr;
  std::mutex mutex_;
  // Offset to size of what is free; no two are adjacent. Guarded by mutex_.
  std::map<std::size_t, std::size_t> free_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_TABLE_MEMORY_H_
