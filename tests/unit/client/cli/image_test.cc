#include "client/cli/image.h"

#include <gtest/gtest.h>

namespace posenc::cli {
namespace {

constexpr Rgb kWhite = {255, 255, 255};
constexpr Rgb kRed = {200, 10, 20};

TEST(ImageTest, IsFilled) {
  const Image image(3, 2, kRed);
  EXPECT_EQ(image.bytes().size(), 18u);
  EXPECT_EQ(image.At(2, 1), kRed);
}

TEST(ImageTest, FillsARectangleAndNoMore) {
  Image image(4, 3, kWhite);
  image.Fill(1, 1, 2, 1, kRed);
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 4; ++x) {
      const bool inside = y == 1 && (x == 1 || x == 2);
      EXPECT_EQ(image.At(x, y), inside ? kRed : kWhite) << x << ' ' << y;
    }
  }
}

TEST(ImageTest, CutsOffWhatLiesOutside) {
  Image image(2, 2, kWhite);
  image.Fill(1, 1, 5, 5, kRed);
  image.Fill(7, 7, 1, 1, kRed);
  EXPECT_EQ(image.At(1, 1), kRed);
  EXPECT_EQ(image.At(0, 1), kWhite);
}

}  // namespace
}  // namespace posenc::cli
