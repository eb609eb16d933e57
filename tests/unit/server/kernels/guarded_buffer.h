#ifndef POSENC_TESTS_UNIT_SERVER_KERNELS_GUARDED_BUFFER_H_
#define POSENC_TESTS_UNIT_SERVER_KERNELS_GUARDED_BUFFER_H_

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace posenc::server::testing {

// Bytes that end `gap` bytes before a page that can't be touched, so that
// reading or writing past them faults. Known bytes fill the rest.
class GuardedBuffer {
 public:
  GuardedBuffer(std::size_t size, std::size_t gap) : size_(size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    room_ = (size + gap + kLead + page - 1) / page * page;
    void* mapping = mmap(nullptr, room_ + page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) std::abort();
    start_ = static_cast<std::byte*>(mapping);
    mapped_ = room_ + page;
    if (mprotect(start_ + room_, page, PROT_NONE) != 0) std::abort();
    std::memset(start_, kFill, room_);
    data_ = start_ + room_ - gap - size;
  }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  ~GuardedBuffer() { munmap(start_, mapped_); }

  std::byte* data() const { return data_; }

  // Whether every byte outside the buffer still has its fill.
  bool Intact() const {
    const auto filled = [](std::byte byte) { return byte == std::byte{kFill}; };
    return std::all_of(start_, data_, filled) &&
           std::all_of(data_ + size_, start_ + room_, filled);
  }

 private:
  static constexpr std::size_t kLead = 64;
  static constexpr unsigned char kFill = 0xA5;

  std::size_t size_;
  std::size_t room_;
  std::size_t mapped_;
  std::byte* start_;
  std::byte* data_;
};

}  // namespace posenc::server::testing

#endif  // POSENC_TESTS_UNIT_SERVER_KERNELS_GUARDED_BUFFER_H_
