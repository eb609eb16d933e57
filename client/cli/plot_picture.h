#ifndef POSENC_CLI_PLOT_PICTURE_H_
#define POSENC_CLI_PLOT_PICTURE_H_

#include <cstddef>
#include <cstdint>

#include "client/cli/grid.h"
#include "client/cli/image.h"

namespace posenc::cli {

// Where the map stands in the picture, and how large a value is.
struct PlotLayout {
  std::size_t left = 0;
  std::size_t top = 0;
  std::size_t cell_width = 1;
  std::size_t cell_height = 1;
};

// For a grid whose first row is that of first_position.
PlotLayout LayOutPlot(const Grid& grid, std::int64_t first_position);

// The heat map in a frame, with positions on the left and channels below.
Image DrawPlot(const Grid& grid, std::int64_t first_position, double range);

}  // namespace posenc::cli

#endif  // POSENC_CLI_PLOT_PICTURE_H_
