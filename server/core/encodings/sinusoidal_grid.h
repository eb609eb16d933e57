#ifndef POSENC_SERVER_CORE_ENCODINGS_SINUSOIDAL_GRID_H_
#define POSENC_SERVER_CORE_ENCODINGS_SINUSOIDAL_GRID_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"
#include "server/core/encodings/exact_angle.h"
#include "server/core/encodings/grid_coordinates.h"

namespace posenc::server {

// sin and cos of coordinate * w_i for each axis of a grid, side by side, with
// w_i = angle_scale * base^(-2i / channels of the axis) (He et al. 2022, Carion
// et al. 2020; the variants are those of EncodingSpec's grid fields). The
// position of a token is its index: class rows, which are zeros, come first,
// then the grid, its last axis the fastest.
class SinusoidalGrid final : public Encoding {
 public:
  // What decides the values, apart from names: specs with equal keys have
  // bit-equal rows.
  static std::string Key(const EncodingSpec& spec);

  // Of a resolved spec.
  explicit SinusoidalGrid(const EncodingSpec& spec);

  Op op() const override { return Op::kAdd; }
  std::uint64_t width() const override { return width_; }
  PositionRange range() const override;
  std::uint64_t bytes() const override;
  absl::Status BuildRows(std::int64_t first,
                         std::span<double> rows) const override;
  absl::Status BuildRow(double position, std::span<double> row) const override;

  // The row of a token of the grid by its index along each axis, then the last
  // index along each, both in the order of grid_axes.
  absl::Status BuildRowAt(std::span<const double> coordinates,
                          std::span<double> row) const override;

  std::optional<double> MaxError(DType dtype) const override {
    return MaxErrorOfSines(dtype);
  }
  std::vector<double> Frequencies() const override;

 private:
  // The channels of an axis. Where a row ends before they do, the last ones
  // have no place: sines and cosines may differ in number, and be none.
  struct Block {
    std::size_t first_sine = 0;
    std::size_t first_cosine = 0;
    std::size_t stride = 1;
    std::size_t sines = 0;
    std::size_t cosines = 0;
    std::size_t channels = 0;  // places or not; it decides the frequencies

    std::size_t frequencies() const { return std::max(sines, cosines); }
  };

  struct Axis {
    std::uint64_t size;
    Block block;
    AxisCoordinates coordinates;
    posenc::server::Frequencies frequencies;
  };

  class Walk;

  // Of each axis of the grid, in the order of grid_axes.
  static std::vector<Block> BlocksOf(const EncodingSpec& spec);

  std::size_t width_;
  std::uint64_t class_rows_;
  std::uint64_t grid_rows_;
  std::vector<Axis> axes_;                  // as grid_axes
  std::vector<std::size_t> channel_order_;  // indices into axes_
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_SINUSOIDAL_GRID_H_
