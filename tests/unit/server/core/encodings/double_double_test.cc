#include "server/core/encodings/double_double.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <random>

namespace posenc::server {
namespace {

using Operation = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

// |value - operation(a, b)| / |operation(a, b)|, with 90 digits.
double RelativeError(DoubleDouble value, DoubleDouble a, DoubleDouble b,
                     Operation operation) {
  mpfr_t left, right, truth;
  mpfr_inits2(300, left, right, truth, static_cast<mpfr_ptr>(nullptr));
  const auto set = [](mpfr_ptr to, DoubleDouble from) {
    mpfr_set_d(to, from.hi, MPFR_RNDN);
    mpfr_add_d(to, to, from.lo, MPFR_RNDN);
  };
  set(left, a);
  set(right, b);
  operation(truth, left, right, MPFR_RNDN);
  set(left, value);
  mpfr_sub(left, left, truth, MPFR_RNDN);
  mpfr_div(left, left, truth, MPFR_RNDN);
  const double error = std::abs(mpfr_get_d(left, MPFR_RNDN));
  mpfr_clears(left, right, truth, static_cast<mpfr_ptr>(nullptr));
  mpfr_mp_memory_cleanup();
  return error;
}

class DoubleDoubleTest : public ::testing::Test {
 protected:
  DoubleDouble Next() {
    std::uniform_real_distribution<double> mantissa(1, 2), sign(-1, 1);
    std::uniform_int_distribution<int> exponent(-40, 40);
    const double hi = std::ldexp(
        std::copysign(mantissa(random_), sign(random_)), exponent(random_));
    return TwoSum(hi, hi * 0x1p-54 * sign(random_));
  }

  std::mt19937_64 random_{7};
};

TEST_F(DoubleDoubleTest, KeepsAHundredBits) {
  for (int i = 0; i < 10000; ++i) {
    const DoubleDouble a = Next(), b = Next();
    EXPECT_LE(RelativeError(Product(a, b), a, b, mpfr_mul), 0x1p-100);
    EXPECT_LE(RelativeError(Quotient(a, b), a, b, mpfr_div), 0x1p-100);
    if ((a.hi < 0) == (b.hi < 0)) {
      EXPECT_LE(RelativeError(Sum(a, b), a, b, mpfr_add), 0x1p-100);
    }
  }
}

TEST_F(DoubleDoubleTest, LowPartsAreNoMoreThanHalfAnUlp) {
  for (int i = 0; i < 1000; ++i) {
    const DoubleDouble a = Next(), b = Next();
    for (const DoubleDouble value :
         {Sum(a, b), Product(a, b), Quotient(a, b)}) {
      EXPECT_EQ(value.hi + value.lo, value.hi);
    }
  }
}

TEST_F(DoubleDoubleTest, TermsThatCancelLeaveTheRest) {
  const DoubleDouble third = Quotient({1, 0}, {3, 0});
  const DoubleDouble rest = Sum(Product(third, {3, 0}), {-1, 0});
  EXPECT_LE(std::abs(rest.hi), 0x1p-104);
}

}  // namespace
}  // namespace posenc::server
