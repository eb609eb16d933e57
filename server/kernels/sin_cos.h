#ifndef POSENC_SERVER_KERNELS_SIN_COS_H_
#define POSENC_SERVER_KERNELS_SIN_COS_H_

// Sines and cosines of position * frequency that are right to the last bit or
// so however far the position is. A double is too short for the frequency: its
// rounding error times a position of 1e9 is 1e-7. So a frequency is held as a
// double-double of turns (radians / 2π), the product is reduced to the nearest
// quarter turn there, and only the small remainder is handed to polynomials.
//
// Only exactly rounded operations are used, so that every machine gives the
// same bits.

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

// a + b, exactly (Knuth).
DoubleDouble TwoSum(double a, double b);

// sin and cos of 2π * position * turns, within 1e-16 where
// |position| * turns < 2^52. The plain code of the kernels of that name.
SinCos SinCosOfTurns(DoubleDouble position, DoubleDouble turns);

// 2π as a double-double.
inline constexpr DoubleDouble kTwoPi = {0x1.921fb54442d18p+2,
                                        0x1.1a62633145c07p-52};

// Taylor coefficients of (sin x - x) / x^3 and (cos x - 1 + x²/2) / x^4 in x²;
// the next term is below 1e-19 for |x| <= π/4.
inline constexpr double kSinSeries[] = {-1.0 / 6,
                                        1.0 / 120,
                                        -1.0 / 5040,
                                        1.0 / 362880,
                                        -1.0 / 39916800,
                                        1.0 / 6227020800,
                                        -1.0 / 1307674368000,
                                        1.0 / 355687428096000};
inline constexpr double kCosSeries[] = {1.0 / 24,
                                        -1.0 / 720,
                                        1.0 / 40320,
                                        -1.0 / 3628800,
                                        1.0 / 479001600,
                                        -1.0 / 87178291200,
                                        1.0 / 20922789888000,
                                        -1.0 / 6402373705728000};

}  // namespace posenc::server

#endif  // POSENC_SERVER_KERNELS_SIN_COS_H_
