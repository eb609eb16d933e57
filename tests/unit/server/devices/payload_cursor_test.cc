#include "server/devices/payload_cursor.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace posenc::server {
namespace {

class PayloadCursorTest : public ::testing::Test {
 protected:
  PayloadCursorTest() {
    for (int i = 0; i < 24; ++i) bytes_.push_back(static_cast<std::byte>(i));
  }

  Segment Piece(std::size_t from, std::size_t to) const {
    return Segment(bytes_).subspan(from, to - from);
  }

  // The next run's bytes.
  static std::vector<std::byte> Take(PayloadCursor& cursor,
                                     std::uint64_t max_elements,
                                     std::size_t element_size) {
    const PayloadCursor::Run run = cursor.Next(max_elements);
    return {run.data, run.data + run.elements * element_size};
  }

  std::vector<std::byte> Bytes(std::size_t from, std::size_t to) const {
    const Segment piece = Piece(from, to);
    return {piece.begin(), piece.end()};
  }

  std::vector<std::byte> bytes_;
};

TEST_F(PayloadCursorTest, RunsEndWithTheLimitAndTheSegment) {
  const std::vector<Segment> segments = {Piece(0, 16), Piece(16, 24)};
  PayloadCursor cursor(segments, 4);
  EXPECT_EQ(cursor.Next(3).elements, 3u);
  EXPECT_EQ(Take(cursor, 9, 4), Bytes(12, 16));
  EXPECT_EQ(Take(cursor, 9, 4), Bytes(16, 24));
}

TEST_F(PayloadCursorTest, DoesNotCopyWhatIsContiguous) {
  const std::vector<Segment> segments = {Piece(0, 24)};
  PayloadCursor cursor(segments, 8);
  EXPECT_EQ(cursor.Next(1).data, bytes_.data());
  EXPECT_EQ(cursor.Next(2).data, bytes_.data() + 8);
}

TEST_F(PayloadCursorTest, StitchesTheOneElementOnASeam) {
  const std::vector<Segment> segments = {Piece(0, 6), Piece(6, 24)};
  PayloadCursor cursor(segments, 4);
  EXPECT_EQ(Take(cursor, 6, 4), Bytes(0, 4));
  EXPECT_EQ(Take(cursor, 6, 4), Bytes(4, 8));
  EXPECT_EQ(Take(cursor, 6, 4), Bytes(8, 24));
}

TEST_F(PayloadCursorTest, StitchesAnElementOfManySegments) {
  std::vector<Segment> segments = {Segment()};
  for (std::size_t i = 0; i < 16; ++i) {
    segments.push_back(Piece(i, i + 1));
    segments.push_back(Segment());
  }
  PayloadCursor cursor(segments, 8);
  EXPECT_EQ(Take(cursor, 2, 8), Bytes(0, 8));
  EXPECT_EQ(Take(cursor, 2, 8), Bytes(8, 16));
}

TEST_F(PayloadCursorTest, OverwritesAStitchedElementWhereItLies) {
  const std::vector<Segment> segments = {Piece(0, 5), Segment(), Piece(10, 11),
                                         Piece(20, 24)};
  PayloadCursor cursor(segments, 4);
  EXPECT_FALSE(cursor.Next(9).stitched);
  const PayloadCursor::Run run = cursor.Next(9);
  EXPECT_TRUE(run.stitched);
  const std::array<std::byte, 4> element = {std::byte{91}, std::byte{92},
                                            std::byte{93}, std::byte{94}};
  cursor.Overwrite(element.data());
  std::vector<std::byte> expected;
  for (int i = 0; i < 24; ++i) expected.push_back(static_cast<std::byte>(i));
  expected[4] = element[0];
  expected[10] = element[1];
  expected[20] = element[2];
  expected[21] = element[3];
  EXPECT_EQ(bytes_, expected);
}

}  // namespace
}  // namespace posenc::server
