#include "server/core/encodings/double_double.h"

#include <cmath>

namespace posenc::server {

DoubleDouble Sum(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = TwoSum(a.hi, b.hi);
  const DoubleDouble low = TwoSum(a.lo, b.lo);
  const DoubleDouble sum = TwoSum(high.hi, high.lo + low.hi);
  return TwoSum(sum.hi, sum.lo + low.lo);
}

DoubleDouble Product(DoubleDouble a, DoubleDouble b) {
  const double product = a.hi * b.hi;
  const double error = std::fma(a.hi, b.hi, -product);
  return TwoSum(product, error + (a.hi * b.lo + a.lo * b.hi));
}

DoubleDouble Quotient(DoubleDouble a, DoubleDouble b) {
  DoubleDouble quotient;
  DoubleDouble rest = a;
  for (int digit = 0; digit < 3; ++digit) {
    const DoubleDouble part = {rest.hi / b.hi, 0};
    quotient = Sum(quotient, part);
    rest = Sum(rest, Product({-part.hi, 0}, b));
  }
  return quotient;
}

}  // namespace posenc::server
