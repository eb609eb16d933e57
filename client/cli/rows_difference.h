#ifndef POSENC_CLI_ROWS_DIFFERENCE_H_
#define POSENC_CLI_ROWS_DIFFERENCE_H_

#include <cstddef>
#include <optional>

#include "client/cli/grid.h"

namespace posenc::cli {

// An element of two matrices of one size that differ there.
struct Part {
  std::size_t row = 0;
  std::size_t column = 0;
  double a = 0;
  double b = 0;
};

// How two matrices of rows differ.
struct RowsDifference {
  std::size_t elements = 0;           // of each
  std::size_t different = 0;          // of those, not equal
  std::optional<Part> first;          // in the order of rows, then columns
  std::optional<Part> largest;        // |a - b| is largest, or first not finite
  std::size_t different_columns = 0;  // columns with a difference
  bool reordered = false;  // each row has the other's values in another order
};

// REQUIRES: matrices of one size.
RowsDifference CompareRows(const Grid& a, const Grid& b);

}  // namespace posenc::cli

#endif  // POSENC_CLI_ROWS_DIFFERENCE_H_
