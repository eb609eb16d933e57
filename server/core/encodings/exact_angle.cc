#include "server/core/encodings/exact_angle.h"

#include <mpfr.h>

#include "server/kernels/kernels.h"

namespace posenc::server {
namespace {

// Enough that the powers below, up to 2^15 rounded products, keep 106 bits. No
// more than MPFR has its quickest code for.
constexpr mpfr_prec_t kPrecisionBits = 127;

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
  // In two steps, which MPFR does faster than in one.
  mpfr_set_d(scratch.get(), result.hi, MPFR_RNDN);
  mpfr_sub(scratch.get(), value.get(), scratch.get(), MPFR_RNDN);
  result.lo = mpfr_get_d(scratch.get(), MPFR_RNDN);
  return result;
}

}  // namespace

Frequencies MakeFrequencies(double scale, double base, double twice_denominator,
                            std::size_t count) {
  const MpfrCleanup cleanup;
  Frequencies result;
  result.radians.reserve(count);
  result.turns.reserve(count);
  Real ratio, power, per_turn, turns, scratch;
  mpfr_set_d(ratio.get(), base, MPFR_RNDN);
  mpfr_log(ratio.get(), ratio.get(), MPFR_RNDN);
  mpfr_mul_si(ratio.get(), ratio.get(), -2, MPFR_RNDN);
  mpfr_div_d(ratio.get(), ratio.get(), twice_denominator, MPFR_RNDN);
  mpfr_exp(ratio.get(), ratio.get(), MPFR_RNDN);
  mpfr_const_pi(per_turn.get(), MPFR_RNDN);
  mpfr_mul_si(per_turn.get(), per_turn.get(), 2, MPFR_RNDN);
  mpfr_ui_div(per_turn.get(), 1, per_turn.get(), MPFR_RNDN);
  mpfr_set_d(power.get(), scale, MPFR_RNDN);
  for (std::size_t i = 0; i < count; ++i) {
    result.radians.push_back(mpfr_get_d(power.get(), MPFR_RNDN));
    mpfr_mul(turns.get(), power.get(), per_turn.get(), MPFR_RNDN);
    result.turns.push_back(ToDoubleDouble(turns, scratch));
    mpfr_mul(power.get(), power.get(), ratio.get(), MPFR_RNDN);
  }
  return result;
}

void SinCosOfTurns(double position, double start,
                   std::span<const DoubleDouble> turns, double* sin,
                   double* cos) {
  ActiveKernels().sin_cos_of_turns(TwoSum(position, start), turns.data(), sin,
                                   cos, turns.size());
}

}  // namespace posenc::server
