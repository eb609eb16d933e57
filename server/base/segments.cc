#include "server/base/segments.h"

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

}  // namespace posenc::server
