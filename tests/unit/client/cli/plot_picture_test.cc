#include "client/cli/plot_picture.h"

#include <gtest/gtest.h>

#include "client/cli/heat_map.h"

namespace posenc::cli {
namespace {

constexpr Rgb kPaper = {255, 255, 255};
constexpr Rgb kInk = {40, 40, 40};

TEST(PlotPictureTest, EnlargesSmallGrids) {
  const PlotLayout layout = LayOutPlot({10, 8, std::vector<float>(80)}, 0);
  EXPECT_EQ(layout.cell_width, 32u);
  EXPECT_EQ(layout.cell_height, 32u);
  const PlotLayout large =
      LayOutPlot({1000, 300, std::vector<float>(300000)}, 0);
  EXPECT_EQ(large.cell_width, 2u);
  EXPECT_EQ(large.cell_height, 1u);
}

TEST(PlotPictureTest, EveryCellHasItsColour) {
  const Grid grid{2, 3, {-1, 0, 1, 0.5F, -0.5F, 0.25F}};
  const PlotLayout at = LayOutPlot(grid, 0);
  const Image image = DrawPlot(grid, 0, 1);
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      const Rgb color = HeatColor(grid.At(row, column), 1);
      const std::size_t x = at.left + column * at.cell_width;
      const std::size_t y = at.top + row * at.cell_height;
      EXPECT_EQ(image.At(x, y), color);
      EXPECT_EQ(image.At(x + at.cell_width - 1, y + at.cell_height - 1), color);
    }
  }
}

TEST(PlotPictureTest, FramesTheMap) {
  const Grid grid{1, 1, {0}};
  const PlotLayout at = LayOutPlot(grid, 0);
  const Image image = DrawPlot(grid, 0, 1);
  EXPECT_EQ(image.At(at.left - 1, at.top - 1), kInk);
  EXPECT_EQ(image.At(at.left + at.cell_width, at.top + at.cell_height), kInk);
  EXPECT_EQ(image.At(at.left - 2, at.top - 2), kPaper);
}

// The numeral 0 in dots of two pixels, its right end three pixels off the tick.
TEST(PlotPictureTest, NumbersTheFirstPosition) {
  const Grid grid{1, 1, {0}};
  const PlotLayout at = LayOutPlot(grid, 0);
  const Image image = DrawPlot(grid, 0, 1);
  const std::size_t tick_y = at.top + at.cell_height / 2;
  const std::size_t x = at.left - 1 - 5 - 3 - 6;
  const std::size_t y = tick_y - 5;
  constexpr const char* kZero[] = {"###", "#.#", "#.#", "#.#", "###"};
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      EXPECT_EQ(image.At(x + 2 * column, y + 2 * row),
                kZero[row][column] == '#' ? kInk : kPaper)
          << row << ' ' << column;
    }
  }
  EXPECT_EQ(image.At(at.left - 2, tick_y), kInk);
}

TEST(PlotPictureTest, TicksStandAtRoundPositions) {
  const Grid grid{200, 1, std::vector<float>(200)};
  const std::int64_t first = -37;
  const PlotLayout at = LayOutPlot(grid, first);
  ASSERT_EQ(at.cell_height, 2u);
  const Image image = DrawPlot(grid, first, 1);
  for (std::size_t row = 0; row < 200; ++row) {
    const bool round = (first + static_cast<std::int64_t>(row)) % 50 == 0;
    EXPECT_EQ(image.At(at.left - 2, at.top + 2 * row + 1),
              round ? kInk : kPaper)
        << row;
  }
}

}  // namespace
}  // namespace posenc::cli
