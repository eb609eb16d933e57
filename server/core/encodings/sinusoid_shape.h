#ifndef POSENC_SERVER_CORE_ENCODINGS_SINUSOID_SHAPE_H_
#define POSENC_SERVER_CORE_ENCODINGS_SINUSOID_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "server/core/encoding_spec.h"

namespace posenc::server {

// Where the elements of a SINUSOIDAL row are. Every frequency has a sine; the
// last one may have no cosine, and the last channel may belong to none.
struct SinusoidShape {
  std::size_t width;
  std::size_t sines;
  std::size_t cosines;
  std::size_t first_sine;
  std::size_t first_cosine;
  std::size_t stride;
};

SinusoidShape ShapeOf(const EncodingSpec& spec);

// D of w_i = base^(-i/D), twice, so that it is an integer.
std::uint64_t TwiceDenominator(const EncodingSpec& spec);

// What decides shape and angles, apart from names.
std::string SinusoidKey(const EncodingSpec& spec);

// Puts shape.sines sines, and as many of the cosines as have a place, where
// they belong in `row`, and zeros elsewhere.
void PlaceSinusoids(const SinusoidShape& shape, const double* sin,
                    const double* cos, std::span<double> row);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_SINUSOID_SHAPE_H_
