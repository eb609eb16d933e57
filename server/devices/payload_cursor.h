#ifndef POSENC_SERVER_DEVICES_PAYLOAD_CURSOR_H_
#define POSENC_SERVER_DEVICES_PAYLOAD_CURSOR_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "server/base/segments.h"

namespace posenc::server {

// Walks the elements of a payload, or its rows, in contiguous runs, as long as
// its segments allow. An element that straddles a seam is put together in a
// buffer here and is a run of its own; nothing else is copied. Not thread-safe.
class PayloadCursor {
 public:
  // Elements at any alignment.
  struct Run {
    const std::byte* data;
    std::uint64_t elements;
    bool stitched = false;  // not in a segment, but put together
  };

  // `element_size` in bytes, at least 1. Rows are elements too.
  PayloadCursor(Segments segments, std::size_t element_size)
      : segments_(segments), element_size_(element_size) {}

  // The next 1 … max_elements elements, good until the next call.
  // REQUIRES: max_elements > 0, and an element is left.
  Run Next(std::uint64_t max_elements);

  // Passes over so many bytes. REQUIRES: they are left.
  void Skip(std::size_t bytes);

  // Overwrites the element of the last run, which was stitched, where it lies.
  // REQUIRES: the segments are writable memory.
  void Overwrite(const std::byte* element);

 private:
  Run Stitch();

  Segments segments_;
  std::size_t element_size_;
  std::size_t offset_ = 0;                      // in the first of segments_
  absl::InlinedVector<std::byte, 8> stitched_;  // empty before the first seam
  Segments stitched_from_;  // where the stitched element begins
  std::size_t stitched_offset_ = 0;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_DEVICES_PAYLOAD_CURSOR_H_
