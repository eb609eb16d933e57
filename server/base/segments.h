#ifndef POSENC_SERVER_BASE_SEGMENTS_H_
#define POSENC_SERVER_BASE_SEGMENTS_H_

#include <cstddef>
#include <span>
#include <vector>

namespace posenc::server {

// A payload as it arrived: pieces of one byte sequence, in order, at any
// alignment; an element may straddle a seam. Non-owning: whoever made the view
// keeps the bytes alive. Pieces may be empty.
using Segment = std::span<const std::byte>;
using Segments = std::span<const Segment>;

// Number of bytes in all pieces.
std::size_t TotalBytes(Segments segments);

// Copies the whole sequence to `to`, which has room for TotalBytes(segments).
void CopyTo(Segments segments, std::byte* to);

// The pieces of `size` bytes from `offset` on, which are all there.
std::vector<Segment> Slice(Segments segments, std::size_t offset,
                           std::size_t size);

}  // namespace posenc::server

#endif  // POSENC_SERVER_BASE_SEGMENTS_H_
