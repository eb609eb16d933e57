#include "client/cli/plot_picture.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/heat_map.h"

namespace posenc::cli {
namespace {

constexpr Rgb kPaper = {255, 255, 255};
constexpr Rgb kInk = {40, 40, 40};

// A map is made about this large, and a value at most kMaxCell pixels.
constexpr std::size_t kMapWidth = 640;
constexpr std::size_t kMapHeight = 480;
constexpr std::size_t kMaxCell = 32;

constexpr std::size_t kMargin = 12;
constexpr std::size_t kTick = 5;
constexpr std::size_t kGap = 3;  // between a tick and its numeral
constexpr std::size_t kLeastTickDistance = 44;

// Digits of 3 × 5 dots, each dot kDot pixels wide and high. A row is three
// bits, the leftmost the highest.
constexpr std::size_t kDot = 2;
constexpr std::size_t kGlyphColumns = 3;
constexpr std::size_t kGlyphRows = 5;
constexpr std::size_t kGlyphStep = (kGlyphColumns + 1) * kDot;
constexpr std::size_t kGlyphHeight = kGlyphRows * kDot;
using Glyph = std::uint8_t[kGlyphRows];
constexpr Glyph kDigits[] = {{7, 5, 5, 5, 7}, {2, 6, 2, 2, 7}, {7, 1, 7, 4, 7},
                             {7, 1, 3, 1, 7}, {5, 5, 7, 1, 1}, {7, 4, 7, 1, 7},
                             {7, 4, 7, 5, 7}, {7, 1, 1, 2, 2}, {7, 5, 7, 5, 7},
                             {7, 5, 7, 1, 7}};
constexpr Glyph kMinus = {0, 0, 7, 0, 0};

std::size_t TextWidth(const std::string& text) {
  return text.size() * kGlyphStep - kDot;
}

void DrawNumber(const std::string& text, std::size_t x, std::size_t y,
                Image* image) {
  for (const char letter : text) {
    const Glyph& glyph = letter == '-' ? kMinus : kDigits[letter - '0'];
    for (std::size_t row = 0; row < kGlyphRows; ++row) {
      for (std::size_t column = 0; column < kGlyphColumns; ++column) {
        if ((glyph[row] >> (kGlyphColumns - 1 - column) & 1) == 0) continue;
        image->Fill(x + column * kDot, y + row * kDot, kDot, kDot, kInk);
      }
    }
    x += kGlyphStep;
  }
}

std::size_t CellSize(std::size_t room, std::size_t count) {
  return std::clamp<std::size_t>(room / count, 1, kMaxCell);
}

// Values from tick to tick: 1, 2 or 5 times a power of ten.
std::int64_t TickStep(std::size_t cell) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      const std::int64_t step = digit * power;
      if (static_cast<std::size_t>(step) * cell >= kLeastTickDistance) {
        return step;
      }
    }
  }
}

// Index of the first value from `first` on that is a multiple of step.
std::size_t FirstTick(std::int64_t first, std::int64_t step) {
  const std::int64_t rest = ((first % step) + step) % step;
  return static_cast<std::size_t>(rest == 0 ? 0 : step - rest);
}

void DrawFrame(const Grid& grid, const PlotLayout& at, Image* image) {
  const std::size_t width = grid.columns * at.cell_width;
  const std::size_t height = grid.rows * at.cell_height;
  image->Fill(at.left - 1, at.top - 1, width + 2, height + 2, kInk);
}

void DrawPositions(const Grid& grid, std::int64_t first_position,
                   const PlotLayout& at, Image* image) {
  const std::int64_t step = TickStep(at.cell_height);
  for (std::size_t row = FirstTick(first_position, step); row < grid.rows;
       row += static_cast<std::size_t>(step)) {
    const std::size_t y = at.top + row * at.cell_height + at.cell_height / 2;
    const std::string text =
        absl::StrCat(first_position + static_cast<std::int64_t>(row));
    image->Fill(at.left - 1 - kTick, y, kTick, 1, kInk);
    DrawNumber(text, at.left - 1 - kTick - kGap - TextWidth(text),
               y - kGlyphHeight / 2, image);
  }
}

void DrawChannels(const Grid& grid, const PlotLayout& at, Image* image) {
  const std::int64_t step = TickStep(at.cell_width);
  const std::size_t bottom = at.top + grid.rows * at.cell_height + 1;
  for (std::size_t column = 0; column < grid.columns;
       column += static_cast<std::size_t>(step)) {
    const std::size_t x = at.left + column * at.cell_width + at.cell_width / 2;
    const std::string text = absl::StrCat(column);
    image->Fill(x, bottom, 1, kTick, kInk);
    DrawNumber(text, x - TextWidth(text) / 2, bottom + kTick + kGap, image);
  }
}

}  // namespace

PlotLayout LayOutPlot(const Grid& grid, std::int64_t first_position) {
  const std::int64_t last_position =
      first_position + static_cast<std::int64_t>(grid.rows) - 1;
  const std::size_t widest = std::max(TextWidth(absl::StrCat(first_position)),
                                      TextWidth(absl::StrCat(last_position)));
  PlotLayout layout;
  layout.left = kMargin + widest + kGap + kTick + 1;
  layout.top = kMargin + 1;
  layout.cell_width = CellSize(kMapWidth, grid.columns);
  layout.cell_height = CellSize(kMapHeight, grid.rows);
  return layout;
}

Image DrawPlot(const Grid& grid, std::int64_t first_position, double range) {
  const PlotLayout at = LayOutPlot(grid, first_position);
  // The last numeral of the channels may stick out to the right of its tick.
  const std::size_t right = kMargin + TextWidth(absl::StrCat(grid.columns)) / 2;
  const std::size_t below = 1 + kTick + kGap + kGlyphHeight + kMargin;
  Image image(at.left + grid.columns * at.cell_width + 1 + right,
              at.top + grid.rows * at.cell_height + below, kPaper);
  DrawFrame(grid, at, &image);
  PaintHeatMap(grid, range, at.cell_width, at.cell_height, at.left, at.top,
               &image);
  DrawPositions(grid, first_position, at, &image);
  DrawChannels(grid, at, &image);
  return image;
}

}  // namespace posenc::cli
