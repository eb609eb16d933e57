#include "server/core/encodings/sinusoid_shape.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"

namespace posenc::server {

SinusoidShape ShapeOf(const EncodingSpec& spec) {
  const std::size_t half = spec.d_model / 2;
  const bool extra_sine =
      spec.d_model % 2 != 0 && spec.odd_dimension != OddDimension::kZeroLast;
  SinusoidShape shape{.width = spec.d_model,
                      .sines = half + (extra_sine ? 1 : 0),
                      .cosines = half,
                      .first_sine = 0,
                      .first_cosine = 0,
                      .stride = 1};
  switch (spec.layout) {
    case SinusoidLayout::kInterleaved:
      shape.first_cosine = 1;
      shape.stride = 2;
      break;
    case SinusoidLayout::kSinCos:
      shape.first_cosine = shape.sines;
      break;
    case SinusoidLayout::kCosSin:
      shape.first_sine = shape.cosines;
      break;
  }
  return shape;
}

std::uint64_t TwiceDenominator(const EncodingSpec& spec) {
  const std::uint64_t d_model = spec.d_model;
  switch (spec.denominator) {
    case FrequencyDenominator::kHalf:
      return d_model;
    case FrequencyDenominator::kHalfFloor:
      return d_model < 2 ? 2 : d_model / 2 * 2;
    case FrequencyDenominator::kHalfFloorMinusOne:
      return d_model < 4 ? 2 : d_model / 2 * 2 - 2;
    case FrequencyDenominator::kHalfCeil:
      return (d_model + 1) / 2 * 2;
  }
  return d_model;
}

std::string SinusoidKey(const EncodingSpec& spec) {
  const SinusoidShape shape = ShapeOf(spec);
  return absl::StrCat(
      "d=", shape.width, " sin=", shape.sines, "@", shape.first_sine,
      " cos=", shape.cosines, "@", shape.first_cosine, "/", shape.stride,
      " 2D=", TwiceDenominator(spec),
      " base=", absl::Hex(std::bit_cast<std::uint64_t>(spec.base)),
      " scale=", absl::Hex(std::bit_cast<std::uint64_t>(spec.angle_scale)),
      " start=", spec.start);
}

void PlaceSinusoids(const SinusoidShape& shape, const double* sin,
                    const double* cos, std::span<double> row) {
  std::fill(row.begin(), row.end(), 0.0);
  for (std::size_t i = 0; i < shape.sines; ++i) {
    row[shape.first_sine + i * shape.stride] = sin[i];
    if (i < shape.cosines) row[shape.first_cosine + i * shape.stride] = cos[i];
  }
}

}  // namespace posenc::server
