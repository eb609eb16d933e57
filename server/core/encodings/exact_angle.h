#ifndef POSENC_SERVER_CORE_ENCODINGS_EXACT_ANGLE_H_
#define POSENC_SERVER_CORE_ENCODINGS_EXACT_ANGLE_H_

// The frequencies of an encoding, and the angles they make with positions.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "server/base/dtype.h"
#include "server/kernels/sin_cos.h"

namespace posenc::server {

struct Frequencies {
  std::vector<double> radians;      // w_i, rounded to nearest
  std::vector<DoubleDouble> turns;  // w_i / 2π, to 2^-106
};

// w_i = scale * base^(-2i / twice_denominator) for i < count (Vaswani et al.
// 2017, §3.5, with twice_denominator = d_model and scale 1). All > 0.
Frequencies MakeFrequencies(double scale, double base, double twice_denominator,
                            std::size_t count);

// sin and cos of 2π * (position + start) * turns[i], within 1e-16 where
// |position + start| * turns[i] < 2^52, for the turns.size() elements of `sin`
// and `cos`.
void SinCosOfTurns(double position, double start,
                   std::span<const DoubleDouble> turns, double* sin,
                   double* cos);

// Largest |value - true value| of a sine or a cosine of these once rounded to
// `dtype`; none for types that hold none.
std::optional<double> MaxErrorOfSines(DType dtype);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_EXACT_ANGLE_H_
