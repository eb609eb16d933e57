#ifndef POSENC_CLI_IMAGE_H_
#define POSENC_CLI_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace posenc::cli {

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

// A picture of 24-bit colours, row by row from the top left.
class Image {
 public:
  Image(std::size_t width, std::size_t height, Rgb fill);

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }
  Rgb At(std::size_t x, std::size_t y) const;

  // Sets a rectangle; what lies outside the picture is cut off.
  void Fill(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
            Rgb color);

  // Red, green, blue of each pixel.
  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::size_t width_;
  std::size_t height_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace posenc::cli

#endif  // POSENC_CLI_IMAGE_H_
