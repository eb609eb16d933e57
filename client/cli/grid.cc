#include "client/cli/grid.h"

#include <algorithm>
#include <cmath>

#include "client/cli/elements.h"

namespace posenc::cli {
namespace {

float Mean(const Grid& grid, std::size_t first_row, std::size_t end_row,
           std::size_t first_column, std::size_t end_column) {
  double sum = 0;
  for (std::size_t row = first_row; row < end_row; ++row) {
    for (std::size_t column = first_column; column < end_column; ++column) {
      sum += grid.At(row, column);
    }
  }
  const std::size_t count = (end_row - first_row) * (end_column - first_column);
  return static_cast<float>(sum / static_cast<double>(count));
}

}  // namespace

Grid GridOf(const posenc::TensorView& rows) {
  Grid grid;
  grid.rows = rows.shape[0];
  grid.columns = rows.shape[1];
  grid.values.reserve(grid.rows * grid.columns);
  for (std::size_t i = 0; i < grid.rows * grid.columns; ++i) {
    grid.values.push_back(static_cast<float>(ElementAt(rows, i)));
  }
  return grid;
}

double LargestMagnitude(const Grid& grid) {
  double largest = 0;
  for (const float value : grid.values) {
    if (std::isfinite(value)) {
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
  }
  return largest;
}

Grid Shrink(const Grid& grid, std::size_t max_rows, std::size_t max_columns) {
  Grid small;
  small.rows = std::min(grid.rows, max_rows);
  small.columns = std::min(grid.columns, max_columns);
  for (std::size_t row = 0; row < small.rows; ++row) {
    for (std::size_t column = 0; column < small.columns; ++column) {
      small.values.push_back(Mean(grid, row * grid.rows / small.rows,
                                  (row + 1) * grid.rows / small.rows,
                                  column * grid.columns / small.columns,
                                  (column + 1) * grid.columns / small.columns));
    }
  }
  return small;
}

}  // namespace posenc::cli
