#include "server/core/encodings/exact_angle.h"

#include "server/core/encodings/real.h"
#include "server/kernels/kernels.h"

namespace posenc::server {
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
    result.radians.push_back(power.ToDouble());
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

std::optional<double> MaxErrorOfSines(DType dtype) {
  // Half an ulp just below 1, and what the double arithmetic may be off.
  constexpr double kArithmetic = 1e-15;
  switch (dtype) {
    case DType::kFloat32:
      return 0x1p-25 + kArithmetic;
    case DType::kFloat16:
      return 0x1p-12 + kArithmetic;
    case DType::kBFloat16:
      return 0x1p-9 + kArithmetic;
    case DType::kFloat64:
      return 0x1p-54 + kArithmetic;
    default:
      return std::nullopt;
  }
}

}  // namespace posenc::server
