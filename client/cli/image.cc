#include "client/cli/image.h"

#include <algorithm>

namespace posenc::cli {

Image::Image(std::size_t width, std::size_t height, Rgb fill)
    : width_(width), height_(height), bytes_(3 * width * height) {
  Fill(0, 0, width, height, fill);
}

Rgb Image::At(std::size_t x, std::size_t y) const {
  const std::size_t i = 3 * (y * width_ + x);
  return {bytes_[i], bytes_[i + 1], bytes_[i + 2]};
}

void Image::Fill(std::size_t x, std::size_t y, std::size_t width,
                 std::size_t height, Rgb color) {
  const std::size_t right = std::min(width_, x + width);
  const std::size_t bottom = std::min(height_, y + height);
  for (std::size_t row = y; row < bottom; ++row) {
    for (std::size_t column = x; column < right; ++column) {
      const std::size_t i = 3 * (row * width_ + column);
      bytes_[i] = color.red;
      bytes_[i + 1] = color.green;
      bytes_[i + 2] = color.blue;
    }
  }
}

}  // namespace posenc::cli
