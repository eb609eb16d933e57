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

PayloadCursor::Run PayloadCursor::Stitch() {
  std::size_t have = 0;
  while (have < element_size_) {
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
  return {stitched_.data(), 1};
}

}  // namespace posenc::server
