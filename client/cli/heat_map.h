#ifndef POSENC_CLI_HEAT_MAP_H_
#define POSENC_CLI_HEAT_MAP_H_

#include <cstddef>

#include "client/cli/grid.h"
#include "client/cli/image.h"

namespace posenc::cli {

// Blue at -range and below, near white at 0, red at range and above; grey for
// NaN.
Rgb HeatColor(double value, double range);

// Each value a rectangle of cell_width × cell_height pixels, at (x, y) of the
// picture.
void PaintHeatMap(const Grid& grid, double range, std::size_t cell_width,
                  std::size_t cell_height, std::size_t x, std::size_t y,
                  Image* image);

}  // namespace posenc::cli

#endif  // POSENC_CLI_HEAT_MAP_H_
