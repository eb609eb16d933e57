#ifndef POSENC_CLI_GRID_H_
#define POSENC_CLI_GRID_H_

#include <cstddef>
#include <vector>

#include "posenc/tensor.h"

namespace posenc::cli {

// Values by position (rows, downwards) and channel (columns).
struct Grid {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  // row by row

  float At(std::size_t row, std::size_t column) const {
    return values[row * columns + column];
  }
};

// Of a tensor [rows, d_model].
Grid GridOf(const posenc::TensorView& rows);

// Largest finite magnitude; 0 if there is none.
double LargestMagnitude(const Grid& grid);

// The grid brought to at most that many rows and columns by taking means; a
// grid that fits is left as it is.
Grid Shrink(const Grid& grid, std::size_t max_rows, std::size_t max_columns);

}  // namespace posenc::cli

#endif  // POSENC_CLI_GRID_H_
