#include "client/cli/rows_difference.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace posenc::cli {
namespace {

bool Same(float a, float b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

// Further apart than any finite difference where one is not finite.
double Distance(const Part& part) {
  const double distance = std::abs(part.a - part.b);
  return std::isnan(distance) ? HUGE_VAL : distance;
}

bool SameInAnotherOrder(const Grid& a, const Grid& b, std::size_t row) {
  const auto sorted = [row](const Grid& grid) {
    const float* const first = grid.values.data() + row * grid.columns;
    std::vector<float> values(first, first + grid.columns);
    std::sort(values.begin(), values.end());
    return values;
  };
  return sorted(a) == sorted(b);
}

}  // namespace

RowsDifference CompareRows(const Grid& a, const Grid& b) {
  RowsDifference difference{.elements = a.values.size()};
  std::vector<bool> differs(a.columns);
  for (std::size_t row = 0; row < a.rows; ++row) {
    for (std::size_t column = 0; column < a.columns; ++column) {
      if (Same(a.At(row, column), b.At(row, column))) continue;
      const Part part{row, column, a.At(row, column), b.At(row, column)};
      ++difference.different;
      differs[column] = true;
      if (!difference.first) difference.first = part;
      if (!difference.largest ||
          Distance(part) > Distance(*difference.largest)) {
        difference.largest = part;
      }
    }
  }
  difference.different_columns = static_cast<std::size_t>(
      std::count(differs.begin(), differs.end(), true));
  difference.reordered = difference.different > 0;
  for (std::size_t row = 0; row < a.rows && difference.reordered; ++row) {
    difference.reordered = SameInAnotherOrder(a, b, row);
  }
  return difference;
}

}  // namespace posenc::cli
