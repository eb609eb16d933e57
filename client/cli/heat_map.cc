#include "client/cli/heat_map.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace posenc::cli {
namespace {

constexpr Rgb kNotANumber = {128, 128, 128};

// Equally far apart from -range to range. Lightness falls from the middle to
// both ends alike, so that the sign is not the only thing that colour tells.
constexpr Rgb kStops[] = {{16, 42, 112},
                          {66, 133, 205},
                          {245, 245, 245},
                          {226, 108, 71},
                          {120, 14, 26}};

std::uint8_t Between(std::uint8_t from, std::uint8_t to, double part) {
  return static_cast<std::uint8_t>(std::lround(from + part * (to - from)));
}

}  // namespace

Rgb HeatColor(double value, double range) {
  if (std::isnan(value)) return kNotANumber;
  constexpr std::size_t kLast = std::size(kStops) - 1;
  const double ratio = value == 0 ? 0 : std::clamp(value / range, -1.0, 1.0);
  const double place = (ratio + 1) / 2 * static_cast<double>(kLast);
  const std::size_t below =
      std::min(static_cast<std::size_t>(place), kLast - 1);
  const double part = place - static_cast<double>(below);
  const Rgb from = kStops[below];
  const Rgb to = kStops[below + 1];
  return {Between(from.red, to.red, part), Between(from.green, to.green, part),
          Between(from.blue, to.blue, part)};
}

void PaintHeatMap(const Grid& grid, double range, std::size_t cell_width,
                  std::size_t cell_height, std::size_t x, std::size_t y,
                  Image* image) {
  for (std::size_t row = 0; row < grid.rows; ++row) {
    for (std::size_t column = 0; column < grid.columns; ++column) {
      image->Fill(x + column * cell_width, y + row * cell_height, cell_width,
                  cell_height, HeatColor(grid.At(row, column), range));
    }
  }
}

}  // namespace posenc::cli
