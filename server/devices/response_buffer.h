#ifndef POSENC_SERVER_DEVICES_RESPONSE_BUFFER_H_
#define POSENC_SERVER_DEVICES_RESPONSE_BUFFER_H_

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace posenc::server {

// Takes buffers back. Thread-safe; Release neither blocks for long nor frees
// device memory, since gRPC calls it from any of its threads.
class BufferOwner {
 public:
  virtual ~BufferOwner() = default;
  virtual void Release(std::byte* data, std::size_t bytes) = 0;
};

// Memory of one response, 64-byte aligned, given back to its owner when
// destroyed. Move-only. Keeps the owner alive.
class ResponseBuffer {
 public:
  ResponseBuffer() = default;
  ResponseBuffer(std::shared_ptr<BufferOwner> owner, std::byte* data,
                 std::size_t bytes)
      : owner_(std::move(owner)), data_(data), bytes_(bytes) {}
  ResponseBuffer(ResponseBuffer&& other) noexcept { *this = std::move(other); }
  ResponseBuffer& operator=(ResponseBuffer&& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ResponseBuffer() {
    if (owner_ != nullptr) owner_->Release(data_, bytes_);
  }

  std::span<std::byte> bytes() const { return {data_, bytes_}; }

 private:
  std::shared_ptr<BufferOwner> owner_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_DEVICES_RESPONSE_BUFFER_H_
