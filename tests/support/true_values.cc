#include "tests/support/true_values.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>

namespace posenc::testing {
namespace {

constexpr mpfr_prec_t kBits = 300;

// Frees what MPFR keeps for a thread when that ends.
struct MpfrCleanup {
  ~MpfrCleanup() { mpfr_mp_memory_cleanup(); }
};

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

// `function` of scale * place * base^(-2i / twice_denominator), where `locate`
// sets the place.
template <typename Locate>
TrueValue Evaluate(Function function, Locate locate, double base,
                   std::uint64_t i, double twice_denominator, double scale) {
  static thread_local const MpfrCleanup cleanup;
  mpfr_t exponent, angle, place;
  mpfr_inits2(kBits, exponent, angle, place, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_d(exponent, -2.0 * static_cast<double>(i), MPFR_RNDN);
  mpfr_div_d(exponent, exponent, twice_denominator, MPFR_RNDN);
  mpfr_set_d(angle, base, MPFR_RNDN);
  mpfr_pow(angle, angle, exponent, MPFR_RNDN);
  locate(place);
  mpfr_mul(angle, angle, place, MPFR_RNDN);
  mpfr_mul_d(angle, angle, scale, MPFR_RNDN);
  function(angle, angle, MPFR_RNDN);
  TrueValue value;
  value.hi = mpfr_get_d(angle, MPFR_RNDN);
  mpfr_sub_d(angle, angle, value.hi, MPFR_RNDN);
  value.lo = mpfr_get_d(angle, MPFR_RNDN);
  mpfr_clears(exponent, angle, place, static_cast<mpfr_ptr>(nullptr));
  return value;
}

TrueValue OfPosition(Function function, double position, double start,
                     double base, std::uint64_t i, double twice_denominator,
                     double scale) {
  const auto locate = [&](mpfr_ptr place) {
    mpfr_set_d(place, position, MPFR_RNDN);
    mpfr_add_d(place, place, start, MPFR_RNDN);
  };
  return Evaluate(function, locate, base, i, twice_denominator, scale);
}

// The coordinate of another index of the same axis, not normalized.
void SetPlain(mpfr_ptr place, const TrueCoordinate& c, double index) {
  mpfr_set_d(place, index, MPFR_RNDN);
  mpfr_mul_d(place, place, c.base_size, MPFR_RNDN);
  mpfr_div_d(place, place, c.size, MPFR_RNDN);
  mpfr_div_d(place, place, c.interpolation, MPFR_RNDN);
  mpfr_add_d(place, place, c.start, MPFR_RNDN);
}

TrueValue OfCoordinate(Function function, const TrueCoordinate& c, double base,
                       std::uint64_t i, double twice_denominator,
                       double scale) {
  const auto locate = [&](mpfr_ptr place) {
    SetPlain(place, c, c.index);
    if (!c.normalized) return;
    mpfr_t other;
    mpfr_init2(other, kBits);
    SetPlain(other, c, c.last);
    mpfr_mul_ui(place, place, 1000000, MPFR_RNDN);
    mpfr_mul_ui(other, other, 1000000, MPFR_RNDN);
    mpfr_add_ui(other, other, 1, MPFR_RNDN);
    mpfr_div(place, place, other, MPFR_RNDN);
    mpfr_const_pi(other, MPFR_RNDN);
    mpfr_mul(place, place, other, MPFR_RNDN);
    mpfr_mul_ui(place, place, 2, MPFR_RNDN);
    mpfr_clear(other);
  };
  return Evaluate(function, locate, base, i, twice_denominator, scale);
}

}  // namespace

TrueValue TrueSin(double position, double start, double base, std::uint64_t i,
                  double twice_denominator, double scale) {
  return OfPosition(mpfr_sin, position, start, base, i, twice_denominator,
                    scale);
}

TrueValue TrueCos(double position, double start, double base, std::uint64_t i,
                  double twice_denominator, double scale) {
  return OfPosition(mpfr_cos, position, start, base, i, twice_denominator,
                    scale);
}

TrueValue TrueSin(const TrueCoordinate& coordinate, double base,
                  std::uint64_t i, double twice_denominator, double scale) {
  return OfCoordinate(mpfr_sin, coordinate, base, i, twice_denominator, scale);
}

TrueValue TrueCos(const TrueCoordinate& coordinate, double base,
                  std::uint64_t i, double twice_denominator, double scale) {
  return OfCoordinate(mpfr_cos, coordinate, base, i, twice_denominator, scale);
}

double Distance(double value, TrueValue truth) {
  return std::abs((value - truth.hi) - truth.lo);
}

double HalfUlp(double value, int significand_bits, int min_exponent) {
  const int exponent =
      value == 0 ? min_exponent : std::max(std::ilogb(value), min_exponent);
  return std::ldexp(0.5, exponent - significand_bits + 1);
}

}  // namespace posenc::testing
