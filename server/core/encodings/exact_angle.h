#ifndef POSENC_SERVER_CORE_ENCODINGS_EXACT_ANGLE_H_
#define POSENC_SERVER_CORE_ENCODINGS_EXACT_ANGLE_H_

// Sines and cosines of position * frequency that are right to the last bit or
// so however far the position is. A double is too short for the frequency: its
// rounding error times a position of 1e9 is 1e-7. So a frequency is held as a
// double-double of turns (radians / 2π), the product is reduced to the nearest
// quarter turn there, and only the small remainder is handed to polynomials.
//
// Only exactly rounded operations are used, so that every machine gives the
// same bits.

#include <cstddef>
#include <vector>

namespace posenc::server {

// The unevaluated sum hi + lo, |lo| <= ulp(hi) / 2.
struct DoubleDouble {
  double hi = 0;
  double lo = 0;
};

struct SinCos {
  double sin = 0;
  double cos = 1;
};

struct Frequencies {
  std::vector<double> radians;      // w_i, rounded to nearest
  std::vector<DoubleDouble> turns;  // w_i / 2π, to 2^-106
};

// w_i = base^(-2i / twice_denominator) for i < count (Vaswani et al. 2017,
// §3.5, with twice_denominator = d_model). base > 0, twice_denominator > 0.
Frequencies MakeFrequencies(double base, double twice_denominator,
                            std::size_t count);

// sin and cos of 2π * (position + start) * turns, within 1e-16 where
// |position + start| * turns < 2^52.
SinCos SinCosOfTurns(double position, double start, DoubleDouble turns);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_EXACT_ANGLE_H_
