#include "client/cli/rows_difference.h"

#include <cmath>

#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

TEST(RowsDifferenceTest, EqualRowsHaveNone) {
  const Grid grid{2, 2, {1, NAN, 3, HUGE_VALF}};
  const RowsDifference difference = CompareRows(grid, grid);
  EXPECT_EQ(difference.elements, 4u);
  EXPECT_EQ(difference.different, 0u);
  EXPECT_EQ(difference.different_columns, 0u);
  EXPECT_FALSE(difference.first || difference.largest || difference.reordered);
}

TEST(RowsDifferenceTest, FindsTheFirstAndTheLargest) {
  const RowsDifference difference =
      CompareRows({2, 3, {1, 2, 3, 4, 5, 6}}, {2, 3, {1, 2, 4, 4, 5, 9}});
  EXPECT_EQ(difference.different, 2u);
  EXPECT_EQ(difference.different_columns, 1u);
  ASSERT_TRUE(difference.first && difference.largest);
  EXPECT_EQ(difference.first->row, 0u);
  EXPECT_EQ(difference.first->column, 2u);
  EXPECT_EQ(difference.first->a, 3);
  EXPECT_EQ(difference.first->b, 4);
  EXPECT_EQ(difference.largest->row, 1u);
  EXPECT_EQ(difference.largest->b, 9);
  EXPECT_FALSE(difference.reordered);
}

TEST(RowsDifferenceTest, WhatIsNotFiniteIsFurthest) {
  const RowsDifference difference =
      CompareRows({1, 2, {1, 100}}, {1, 2, {NAN, -100}});
  ASSERT_TRUE(difference.largest);
  EXPECT_EQ(difference.largest->column, 0u);
}

TEST(RowsDifferenceTest, KnowsAnotherOrder) {
  EXPECT_TRUE(
      CompareRows({2, 2, {1, 2, 3, 4}}, {2, 2, {2, 1, 3, 4}}).reordered);
  EXPECT_FALSE(
      CompareRows({2, 2, {1, 2, 3, 4}}, {2, 2, {3, 4, 1, 2}}).reordered);
}

}  // namespace
}  // namespace posenc::cli
