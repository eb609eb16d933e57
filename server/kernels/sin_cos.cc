#include "server/kernels/sin_cos.h"

#include <cmath>
#include <cstddef>

namespace posenc::server {
namespace {

template <std::size_t n>
double Horner(const double (&coefficients)[n], double x) {
  double value = coefficients[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) value = value * x + coefficients[i];
  return value;
}

// sin and cos of hi + lo, |hi| <= π/4.
SinCos SinCosOfSmall(double hi, double lo) {
  const double square = hi * hi;
  const double half = 0.5 * square;
  const double rest = 1 - half;
  SinCos result;
  result.sin = hi + (hi * square * Horner(kSinSeries, square) + lo * rest);
  // (1 - rest) - half is what rounding took from rest.
  result.cos =
      rest + (((1 - rest) - half) +
              (square * square * Horner(kCosSeries, square) - hi * lo));
  return result;
}

}  // namespace

DoubleDouble TwoSum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

SinCos SinCosOfTurns(DoubleDouble position, DoubleDouble turns) {
  const double product = position.hi * turns.hi;
  const double product_error = std::fma(position.hi, turns.hi, -product);
  const double rest =
      product_error + (position.hi * turns.lo + position.lo * turns.hi);
  // Dropping whole turns, then quarters, is exact in the high part.
  const DoubleDouble turn = TwoSum(product - std::nearbyint(product), rest);
  const double quarters = std::nearbyint(4 * turn.hi);
  const DoubleDouble part = TwoSum(turn.hi - 0.25 * quarters, turn.lo);
  const double angle = part.hi * kTwoPi.hi;
  const double angle_error = std::fma(part.hi, kTwoPi.hi, -angle) +
                             (part.hi * kTwoPi.lo + part.lo * kTwoPi.hi);
  const SinCos small = SinCosOfSmall(angle, angle_error);
  switch (static_cast<int>(quarters) & 3) {
    case 0:
      return small;
    case 1:
      return {small.cos, -small.sin};
    case 2:
      return {-small.sin, -small.cos};
    default:
      return {-small.cos, small.sin};
  }
}

}  // namespace posenc::server
