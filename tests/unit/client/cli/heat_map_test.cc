#include "client/cli/heat_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace posenc::cli {
namespace {

constexpr Rgb kBlue = {16, 42, 112};
constexpr Rgb kMiddle = {245, 245, 245};
constexpr Rgb kHighest = {120, 14, 26};
constexpr Rgb kGrey = {128, 128, 128};

TEST(HeatMapTest, ColoursOfKnownValues) {
  EXPECT_EQ(HeatColor(-1, 1), kBlue);
  EXPECT_EQ(HeatColor(0, 1), kMiddle);
  EXPECT_EQ(HeatColor(-0.0, 1), kMiddle);
  EXPECT_EQ(HeatColor(1, 1), kHighest);
  EXPECT_EQ(HeatColor(0.5, 1), (Rgb{226, 108, 71}));
  EXPECT_EQ(HeatColor(-0.5, 1), (Rgb{66, 133, 205}));
  EXPECT_EQ(HeatColor(0.25, 1), (Rgb{236, 177, 158}));
}

TEST(HeatMapTest, ColoursBeyondTheRange) {
  EXPECT_EQ(HeatColor(7, 1), kHighest);
  EXPECT_EQ(HeatColor(-HUGE_VAL, 1), kBlue);
  EXPECT_EQ(HeatColor(NAN, 1), kGrey);
}

TEST(HeatMapTest, TheRangeScales) {
  EXPECT_EQ(HeatColor(0.02, 0.02), kHighest);
  EXPECT_EQ(HeatColor(-5, 10), HeatColor(-0.5, 1));
}

TEST(HeatMapTest, PaintsEachValueOnItsCell) {
  Image image(8, 7, {0, 0, 0});
  const Grid grid{2, 2, {-1, 1, 0, std::numeric_limits<float>::quiet_NaN()}};
  PaintHeatMap(grid, 1, /*cell_width=*/3, /*cell_height=*/2, /*x=*/1, /*y=*/2,
               &image);
  for (std::size_t y = 2; y < 6; ++y) {
    for (std::size_t x = 1; x < 7; ++x) {
      const Rgb expected =
          y < 4 ? (x < 4 ? kBlue : kHighest) : (x < 4 ? kMiddle : kGrey);
      EXPECT_EQ(image.At(x, y), expected) << x << ' ' << y;
    }
  }
  EXPECT_EQ(image.At(0, 2), (Rgb{0, 0, 0}));
  EXPECT_EQ(image.At(7, 5), (Rgb{0, 0, 0}));
  EXPECT_EQ(image.At(1, 6), (Rgb{0, 0, 0}));
}

}  // namespace
}  // namespace posenc::cli
