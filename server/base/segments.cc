#include "server/base/segments.h"

#include <algorithm>
#include <cstring>

namespace posenc::server {

std::size_t TotalBytes(Segments segments) {
  std::size_t total = 0;
  for (const Segment& segment : segments) total += segment.size();
  return total;
}

void CopyTo(Segments segments, std::byte* to) {
  for (const Segment& segment : segments) {
    if (segment.empty()) continue;
    std::memcpy(to, segment.data(), segment.size());
    to += segment.size();
  }
}

std::vector<Segment> Slice(Segments segments, std::size_t offset,
                           std::size_t size) {
  std::vector<Segment> slice;
  for (const Segment& segment : segments) {
    if (size == 0) break;
    if (offset >= segment.size()) {
      offset -= segment.size();
      continue;
    }
    const std::size_t taken = std::min(segment.size() - offset, size);
    slice.push_back(segment.subspan(offset, taken));
    size -= taken;
    offset = 0;
  }
  return slice;
}

}  // namespace posenc::server
