#ifndef POSENC_TESTS_SUPPORT_TRUE_VALUES_H_
#define POSENC_TESTS_SUPPORT_TRUE_VALUES_H_

#include <cstdint>

namespace posenc::testing {

// A real number as hi + lo, good to 2^-106.
struct TrueValue {
  double hi = 0;
  double lo = 0;
};

// sin and cos of scale * (position + start) * base^(-2i / twice_denominator),
// computed with 90 digits in one go, without the tricks of the code under test.
TrueValue TrueSin(double position, double start, double base, std::uint64_t i,
                  double twice_denominator, double scale = 1);
TrueValue TrueCos(double position, double start, double base, std::uint64_t i,
                  double twice_denominator, double scale = 1);

// A coordinate of a grid's axis, in the terms of EncodingSpec:
// start + index * base_size / (size * interpolation), and normalized that /
// (that of `last` + 1e-6) * 2π.
struct TrueCoordinate {
  double start = 0;
  double index = 0;
  double base_size = 1;
  double size = 1;
  double interpolation = 1;
  bool normalized = false;
  double last = 0;
};

// sin and cos of scale * coordinate * base^(-2i / twice_denominator), likewise.
TrueValue TrueSin(const TrueCoordinate& coordinate, double base,
                  std::uint64_t i, double twice_denominator, double scale);
TrueValue TrueCos(const TrueCoordinate& coordinate, double base,
                  std::uint64_t i, double twice_denominator, double scale);

// |value - truth|.
double Distance(double value, TrueValue truth);

// Half the distance between neighbours at `value`, of a binary format with that
// many bits of significand (53, 24, 11, 8) and that least exponent.
double HalfUlp(double value, int significand_bits, int min_exponent);
inline double HalfUlpOfFloat64(double v) { return HalfUlp(v, 53, -1022); }
inline double HalfUlpOfFloat32(double v) { return HalfUlp(v, 24, -126); }
inline double HalfUlpOfFloat16(double v) { return HalfUlp(v, 11, -14); }
inline double HalfUlpOfBFloat16(double v) { return HalfUlp(v, 8, -126); }

// Beside half an ulp of the output, what the service's double arithmetic may be
// off.
inline constexpr double kArithmeticError = 1e-15;

}  // namespace posenc::testing

#endif  // POSENC_TESTS_SUPPORT_TRUE_VALUES_H_
