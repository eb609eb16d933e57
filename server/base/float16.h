#ifndef POSENC_SERVER_BASE_FLOAT16_H_
#define POSENC_SERVER_BASE_FLOAT16_H_

#include <bit>
#include <cstdint>

// The two 16-bit floating-point types as bit patterns: f16 (IEEE 754 binary16)
// and bf16 (the upper half of a binary32). Every float is a double, so
// these conversions serve floats too: widening is exact, and narrowing rounds
// once, to nearest even, with subnormals, infinities and signed zeros. A NaN
// stays a NaN, quiet, with the upper bits of its payload.
namespace posenc::server {

namespace float16_internal {

// Bits of the exponent and of the fraction.
struct Format {
  int exponent;
  int fraction;

  constexpr int Bias() const { return (1 << (exponent - 1)) - 1; }
  constexpr std::uint64_t Infinity() const {
    return ((std::uint64_t{1} << exponent) - 1) << fraction;
  }
};

inline constexpr Format kF16{5, 10};
inline constexpr Format kBF16{8, 7};

inline constexpr int kDoubleFraction = 52;
inline constexpr int kDoubleBias = 1023;
inline constexpr std::uint64_t kDoubleSign = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kDoubleInfinity = std::uint64_t{0x7FF} << 52;

constexpr double Widen(Format format, std::uint16_t bits) {
  const std::uint64_t sign = std::uint64_t{bits} >> 15 << 63;
  const std::uint64_t magnitude = bits & 0x7FFFu;
  const int shift = kDoubleFraction - format.fraction;
  const int rebias = kDoubleBias - format.Bias();
  std::uint64_t wide = 0;
  if (magnitude >= format.Infinity()) {
    wide = kDoubleInfinity | (magnitude - format.Infinity()) << shift;
  } else if (magnitude >> format.fraction != 0) {
    wide = (magnitude << shift) +
           (static_cast<std::uint64_t>(rebias) << kDoubleFraction);
  } else {
    const double unit = std::bit_cast<double>(
        static_cast<std::uint64_t>(rebias + 1 - format.fraction)
        << kDoubleFraction);
    wide = std::bit_cast<std::uint64_t>(static_cast<double>(magnitude) * unit);
  }
  return std::bit_cast<double>(sign | wide);
}

// value / 2^shift, to nearest even.
constexpr std::uint64_t ShiftRightRounded(std::uint64_t value, int shift) {
  const std::uint64_t quotient = value >> shift;
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t rest = value & (2 * half - 1);
  const bool up = rest > half || (rest == half && (quotient & 1) != 0);
  return quotient + (up ? 1 : 0);
}

constexpr std::uint16_t Narrow(Format format, double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = bits >> 63 << 15;
  const std::uint64_t magnitude = bits & ~kDoubleSign;
  const int shift = kDoubleFraction - format.fraction;
  if (magnitude > kDoubleInfinity) {
    const std::uint64_t quiet = std::uint64_t{1} << (format.fraction - 1);
    const std::uint64_t payload = (magnitude - kDoubleInfinity) >> shift;
    return static_cast<std::uint16_t>(sign | format.Infinity() | quiet |
                                      payload);
  }
  const int exponent =
      static_cast<int>(magnitude >> kDoubleFraction) - kDoubleBias;
  const int below_normal = 1 - format.Bias() - exponent;
  std::uint64_t rounded = 0;
  if (below_normal <= 0) {
    const auto rebias = static_cast<std::uint64_t>(kDoubleBias - format.Bias());
    // A carry out of the fraction is the right exponent, infinity included.
    rounded = ShiftRightRounded(magnitude - (rebias << kDoubleFraction), shift);
  } else if (shift + below_normal <= kDoubleFraction + 1) {
    const std::uint64_t one = std::uint64_t{1} << kDoubleFraction;
    const std::uint64_t significand = (magnitude & (one - 1)) | one;
    rounded = ShiftRightRounded(significand, shift + below_normal);
  }
  if (rounded > format.Infinity()) rounded = format.Infinity();
  return static_cast<std::uint16_t>(sign | rounded);
}

}  // namespace float16_internal

constexpr double F16ToDouble(std::uint16_t bits) {
  return float16_internal::Widen(float16_internal::kF16, bits);
}

constexpr double BF16ToDouble(std::uint16_t bits) {
  return float16_internal::Widen(float16_internal::kBF16, bits);
}

constexpr std::uint16_t DoubleToF16(double value) {
  return float16_internal::Narrow(float16_internal::kF16, value);
}

constexpr std::uint16_t DoubleToBF16(double value) {
  return float16_internal::Narrow(float16_internal::kBF16, value);
}

}  // namespace posenc::server

#endif  // POSENC_SERVER_BASE_FLOAT16_H_
