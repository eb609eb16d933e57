#include "client/cli/grid.h"

#include <cmath>

#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::ElementsAre;

TEST(GridTest, TakesATensorsValues) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const Grid grid = GridOf({std::span(values), {2, 3}});
  EXPECT_EQ(grid.rows, 2u);
  EXPECT_EQ(grid.columns, 3u);
  EXPECT_EQ(grid.At(1, 0), 4);
}

TEST(GridTest, LargestMagnitudeIsFinite) {
  EXPECT_EQ(LargestMagnitude({1, 4, {NAN, -3, 2, HUGE_VALF}}), 3);
  EXPECT_EQ(LargestMagnitude({1, 1, {NAN}}), 0);
}

TEST(GridTest, ShrinksToMeans) {
  const Grid grid{2, 4, {0, 2, 4, 6, 2, 4, 6, 8}};
  EXPECT_THAT(Shrink(grid, 1, 2).values, ElementsAre(2, 6));
  EXPECT_THAT(Shrink(grid, 2, 3).values, ElementsAre(0, 2, 5, 2, 4, 7));
}

TEST(GridTest, LeavesWhatFits) {
  const Grid grid{1, 2, {3, 4}};
  const Grid same = Shrink(grid, 10, 10);
  EXPECT_EQ(same.rows, 1u);
  EXPECT_EQ(same.columns, 2u);
  EXPECT_EQ(same.values, grid.values);
}

}  // namespace
}  // namespace posenc::cli
