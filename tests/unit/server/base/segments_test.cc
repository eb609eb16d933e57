#include "server/base/segments.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

namespace posenc::server {
namespace {

constexpr std::array<std::byte, 5> kBytes = {
    std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};

TEST(Segments, CountAndCopyAcrossPieces) {
  const Segment all(kBytes);
  const std::vector<Segment> segments = {Segment(), all.subspan(0, 1),
                                         all.subspan(1, 3), Segment(),
                                         all.subspan(4, 1)};
  EXPECT_EQ(TotalBytes(segments), kBytes.size());

  std::array<std::byte, 5> copy{};
  CopyTo(segments, copy.data());
  EXPECT_EQ(copy, kBytes);
}

TEST(Segments, NoneAreNoBytes) {
  EXPECT_EQ(TotalBytes({}), 0u);
  CopyTo({}, nullptr);
}

TEST(Segments, SlicesAtEveryOffsetAndSize) {
  const Segment all(kBytes);
  const std::vector<Segment> segments = {all.subspan(0, 2), Segment(),
                                         all.subspan(2, 3)};
  for (std::size_t offset = 0; offset <= kBytes.size(); ++offset) {
    for (std::size_t size = 0; offset + size <= kBytes.size(); ++size) {
      const std::vector<Segment> slice = Slice(segments, offset, size);
      ASSERT_EQ(TotalBytes(slice), size);
      std::array<std::byte, 5> copy{};
      CopyTo(slice, copy.data());
      for (std::size_t i = 0; i < size; ++i) {
        EXPECT_EQ(copy[i], kBytes[offset + i]);
      }
    }
  }
}

}  // namespace
}  // namespace posenc::server
