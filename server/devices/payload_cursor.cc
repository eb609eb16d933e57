#include "server/devices/payload_cursor.h"

#include <algorithm>
#include <cstring>

namespace posenc::server {

PayloadCursor::Run PayloadCursor::Next(std::uint64_t max_elements) {
  while (offset_ == segments_.front().size()) {
    segments_ = segments_.subspan(1);
    offset_ = 0;
  }
  const Segment segment = segments_.front().subspan(offset_);
  const std::uint64_t whole = segment.size() / element_size_;
  if (whole == 0) return Stitch();
  const std::uint64_t elements = std::min(whole, max_elements);
  offset_ += elements * element_size_;
  return {segment.data(), elements};
}

void PayloadCursor::Skip(std::size_t bytes) {
  while (bytes > segments_.front().size() - offset_) {
    bytes -= segments_.front().size() - offset_;
    segments_ = segments_.subspan(1);
    offset_ = 0;
  }
  offset_ += bytes;
}

PayloadCursor::Run PayloadCursor::Stitch() {
  stitched_.resize(element_size_);
  stitched_from_ = segments_;
  stitched_offset_ = offset_;
  for (std::size_t have = 0; have < element_size_;) {
    const Segment segment = segments_.front().subspan(offset_);
    const std::size_t take = std::min(element_size_ - have, segment.size());
    if (take > 0) std::memcpy(&stitched_[have], segment.data(), take);
    have += take;
    offset_ += take;
    if (have < element_size_) {
      segments_ = segments_.subspan(1);
      offset_ = 0;
    }
  }
  return {stitched_.data(), 1, true};
}

void PayloadCursor::Overwrite(const std::byte* element) {
  std::size_t offset = stitched_offset_;
  std::size_t done = 0;
  for (const Segment& segment : stitched_from_) {
    const std::size_t size =
        std::min(element_size_ - done, segment.size() - offset);
    if (size > 0) {
      std::memcpy(const_cast<std::byte*>(segment.data()) + offset,
                  element + done, size);
    }
    done += size;
    offset = 0;
    if (done == element_size_) return;
  }
}

}  // namespace posenc::server
