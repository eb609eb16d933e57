#include "server/core/encodings/float32_angles.h"

#include <mpfr.h>

#include <cmath>

#include "server/base/limits.h"
#include "server/core/encodings/double_double.h"
#include "server/core/encodings/real.h"
#include "server/kernels/kernels.h"

namespace posenc::server {
namespace {

// A float32 that MPFR's functions round to correctly; all that come up here
// are normal ones.
class Single {
 public:
  explicit Single(float value = 0) {
    mpfr_init2(value_, 24);
    mpfr_set_flt(value_, value, MPFR_RNDN);
  }
  Single(const Single&) = delete;
  Single& operator=(const Single&) = delete;
  ~Single() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }
  float ToFloat() const { return mpfr_get_flt(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

float Exp(float x) {
  Single result(x);
  mpfr_exp(result.get(), result.get(), MPFR_RNDN);
  return result.ToFloat();
}

float Pow(float base, float exponent) {
  Single result(base), power(exponent);
  mpfr_pow(result.get(), result.get(), power.get(), MPFR_RNDN);
  return result.ToFloat();
}

// Of the base as a double, so that what is rounded to float32 is good.
double NaturalLogarithm(double base) { return Log(Real(base)).ToDouble(); }

}  // namespace

std::vector<float> Float32Frequencies(AnglePrecision precision, double base,
                                      double twice_denominator,
                                      std::size_t count) {
  const MpfrCleanup cleanup;
  const double denominator = twice_denominator / 2;
  const auto coefficient =
      static_cast<float>(-NaturalLogarithm(base) / denominator);
  std::vector<float> frequencies;
  frequencies.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = static_cast<float>(i);
    if (precision == AnglePrecision::kFloat32Exp) {
      frequencies.push_back(Exp(index * coefficient));
    } else {
      const auto exponent = static_cast<float>(index / denominator);
      frequencies.push_back(1 / Pow(static_cast<float>(base), exponent));
    }
  }
  return frequencies;
}

PositionRange Float32Angles::range() const {
  return {-kMaxFloat32Position - start_, kMaxFloat32Position - start_};
}

void Float32Angles::At(double position, double* sin, double* cos) const {
  static const DoubleDouble kPerTurn = Quotient({1, 0}, kTwoPi);
  const auto place = static_cast<float>(position + static_cast<double>(start_));
  std::vector<DoubleDouble> turns(size());
  for (std::size_t i = 0; i < size(); ++i) {
    float angle = place * frequencies_[i];
    if (scale_ != 1) angle = scale_ * angle;
    turns[i] = Product({angle, 0}, kPerTurn);
  }
  ActiveKernels().sin_cos_of_turns({1, 0}, turns.data(), sin, cos, size());
  for (std::size_t i = 0; i < size(); ++i) {
    sin[i] = static_cast<float>(sin[i]);
    cos[i] = static_cast<float>(cos[i]);
  }
}

}  // namespace posenc::server
