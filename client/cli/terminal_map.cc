#include "client/cli/terminal_map.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "client/cli/heat_map.h"

namespace posenc::cli {
namespace {

constexpr std::size_t kMaxLines = 24;
// A grid narrower than the terminal is stretched, to no more than this.
constexpr std::size_t kMaxStretch = 8;
constexpr char kReset[] = "\x1b[0m";

void SetColor(int layer, Rgb color, std::ostream& out) {
  out << absl::StrFormat("\x1b[%d;2;%d;%d;%dm", layer, color.red, color.green,
                         color.blue);
}

}  // namespace

void DrawInTerminal(const Grid& grid, double range, std::size_t width,
                    std::ostream& out) {
  constexpr int kForeground = 38;
  constexpr int kBackground = 48;
  const Grid small = Shrink(grid, 2 * kMaxLines, width);
  const std::size_t stretch =
      std::clamp<std::size_t>(width / small.columns, 1, kMaxStretch);
  for (std::size_t row = 0; row < small.rows; row += 2) {
    for (std::size_t column = 0; column < small.columns; ++column) {
      SetColor(kForeground, HeatColor(small.At(row, column), range), out);
      if (row + 1 < small.rows) {
        SetColor(kBackground, HeatColor(small.At(row + 1, column), range), out);
      }
      for (std::size_t i = 0; i < stretch; ++i) out << "▀";
    }
    out << kReset << '\n';
  }
}

}  // namespace posenc::cli
