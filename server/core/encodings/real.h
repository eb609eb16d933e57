#ifndef POSENC_SERVER_CORE_ENCODINGS_REAL_H_
#define POSENC_SERVER_CORE_ENCODINGS_REAL_H_

#include <mpfr.h>

#include <cstdint>

#include "server/kernels/sin_cos.h"

namespace posenc::server {

// Frees what MPFR keeps for the thread; declared before the Reals of a scope.
struct MpfrCleanup {
  ~MpfrCleanup() { mpfr_mp_memory_cleanup(); }
};

// A number of so many bits.
template <mpfr_prec_t bits>
class BasicReal {
 public:
  BasicReal() { mpfr_init2(value_, bits); }
  explicit BasicReal(double value) : BasicReal() {
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  BasicReal(const BasicReal& other) : BasicReal() { *this = other; }
  BasicReal& operator=(const BasicReal& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~BasicReal() { mpfr_clear(value_); }

  static BasicReal Pi() {
    BasicReal pi;
    mpfr_const_pi(pi.value_, MPFR_RNDN);
    return pi;
  }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  double ToDouble() const { return mpfr_get_d(value_, MPFR_RNDN); }

  friend BasicReal operator+(const BasicReal& a, const BasicReal& b) {
    BasicReal sum;
    mpfr_add(sum.value_, a.value_, b.value_, MPFR_RNDN);
    return sum;
  }
  friend BasicReal operator-(const BasicReal& a, const BasicReal& b) {
    BasicReal difference;
    mpfr_sub(difference.value_, a.value_, b.value_, MPFR_RNDN);
    return difference;
  }
  friend BasicReal operator*(const BasicReal& a, const BasicReal& b) {
    BasicReal product;
    mpfr_mul(product.value_, a.value_, b.value_, MPFR_RNDN);
    return product;
  }
  friend BasicReal operator/(const BasicReal& a, const BasicReal& b) {
    BasicReal quotient;
    mpfr_div(quotient.value_, a.value_, b.value_, MPFR_RNDN);
    return quotient;
  }
  friend bool operator<(const BasicReal& a, const BasicReal& b) {
    return mpfr_less_p(a.value_, b.value_) != 0;
  }
  friend BasicReal Log(const BasicReal& x) {
    BasicReal logarithm;
    mpfr_log(logarithm.value_, x.value_, MPFR_RNDN);
    return logarithm;
  }
  friend BasicReal Power(const BasicReal& x, const BasicReal& exponent) {
    BasicReal power;
    mpfr_pow(power.value_, x.value_, exponent.value_, MPFR_RNDN);
    return power;
  }

 private:
  mpfr_t value_;
};

// Enough that up to 2^15 rounded operations in a row keep 106 bits, and no more
// than MPFR has its quickest code for.
using Real = BasicReal<127>;
// For differences of numbers that may agree in their first fifty bits.
using WideReal = BasicReal<256>;

// hi + lo, to 2^-106. `scratch` is overwritten.
template <mpfr_prec_t bits>
DoubleDouble ToDoubleDouble(const BasicReal<bits>& value,
                            BasicReal<bits>& scratch) {
  DoubleDouble result;
  result.hi = value.ToDouble();
  // In two steps, which MPFR does faster than in one.
  mpfr_set_d(scratch.get(), result.hi, MPFR_RNDN);
  mpfr_sub(scratch.get(), value.get(), scratch.get(), MPFR_RNDN);
  result.lo = scratch.ToDouble();
  return result;
}

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_REAL_H_
