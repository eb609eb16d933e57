#include "server/core/encodings/exact_angle.h"

#include <mpfr.h>

#include <cmath>

namespace posenc::server {
namespace {

// 2π as a double-double.
constexpr double kTwoPiHi = 0x1.921fb54442d18p+2;
constexpr double kTwoPiLo = 0x1.1a62633145c07p-52;

// Enough that the powers below, each a rounded product, keep 106 bits.
constexpr mpfr_prec_t kPrecisionBits = 256;

// Frees what MPFR keeps for the thread; declared before the Reals of a scope.
struct MpfrCleanup {
  ~MpfrCleanup() { mpfr_mp_memory_cleanup(); }
};

class Real {
 public:
  Real() { mpfr_init2(value_, kPrecisionBits); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

DoubleDouble ToDoubleDouble(Real& value, Real& scratch) {
  DoubleDouble result;
  result.hi = mpfr_get_d(value.get(), MPFR_RNDN);
  mpfr_sub_d(scratch.get(), value.get(), result.hi, MPFR_RNDN);
  result.lo = mpfr_get_d(scratch.get(), MPFR_RNDN);
  return result;
}

// a + b, exactly (Knuth).
DoubleDouble TwoSum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

// Taylor coefficients of (sin x - x) / x^3 and (cos x - 1 + x²/2) / x^4 in x²;
// the next term is below 1e-19 for |x| <= π/4.
constexpr double kSin[] = {-1.0 / 6,
                           1.0 / 120,
                           -1.0 / 5040,
                           1.0 / 362880,
                           -1.0 / 39916800,
                           1.0 / 6227020800,
                           -1.0 / 1307674368000,
                           1.0 / 355687428096000};
constexpr double kCos[] = {1.0 / 24,
                           -1.0 / 720,
                           1.0 / 40320,
                           -1.0 / 3628800,
                           1.0 / 479001600,
                           -1.0 / 87178291200,
                           1.0 / 20922789888000,
                           -1.0 / 6402373705728000};

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
  result.sin = hi + (hi * square * Horner(kSin, square) + lo * rest);
  // (1 - rest) - half is what rounding took from rest.
  result.cos = rest + (((1 - rest) - half) +
                       (square * square * Horner(kCos, square) - hi * lo));
  return result;
}

}  // namespace

Frequencies MakeFrequencies(double base, double twice_denominator,
                            std::size_t count) {
  const MpfrCleanup cleanup;
  Frequencies result;
  result.radians.reserve(count);
  result.turns.reserve(count);
  Real ratio, power, two_pi, turns, scratch;
  mpfr_set_d(ratio.get(), base, MPFR_RNDN);
  mpfr_log(ratio.get(), ratio.get(), MPFR_RNDN);
  mpfr_mul_si(ratio.get(), ratio.get(), -2, MPFR_RNDN);
  mpfr_div_d(ratio.get(), ratio.get(), twice_denominator, MPFR_RNDN);
  mpfr_exp(ratio.get(), ratio.get(), MPFR_RNDN);
  mpfr_const_pi(two_pi.get(), MPFR_RNDN);
  mpfr_mul_si(two_pi.get(), two_pi.get(), 2, MPFR_RNDN);
  mpfr_set_si(power.get(), 1, MPFR_RNDN);
  for (std::size_t i = 0; i < count; ++i) {
    result.radians.push_back(mpfr_get_d(power.get(), MPFR_RNDN));
    mpfr_div(turns.get(), power.get(), two_pi.get(), MPFR_RNDN);
    result.turns.push_back(ToDoubleDouble(turns, scratch));
    mpfr_mul(power.get(), power.get(), ratio.get(), MPFR_RNDN);
  }
  return result;
}

SinCos SinCosOfTurns(double position, double start, DoubleDouble turns) {
  const DoubleDouble place = TwoSum(position, start);
  const double product = place.hi * turns.hi;
  const double product_error = std::fma(place.hi, turns.hi, -product);
  const double rest =
      product_error + (place.hi * turns.lo + place.lo * turns.hi);
  // Dropping whole turns, then quarters, is exact in the high part.
  const DoubleDouble turn = TwoSum(product - std::nearbyint(product), rest);
  const double quarters = std::nearbyint(4 * turn.hi);
  const DoubleDouble part = TwoSum(turn.hi - 0.25 * quarters, turn.lo);
  const double angle = part.hi * kTwoPiHi;
  const double angle_error = std::fma(part.hi, kTwoPiHi, -angle) +
                             (part.hi * kTwoPiLo + part.lo * kTwoPiHi);
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
