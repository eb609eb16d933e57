#include "tests/conformance/golden_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "tests/support/true_values.h"

namespace posenc::testing {

double ReadElement(DType dtype, const std::byte* at) {
  std::uint16_t half = 0;
  float single = 0;
  double value = 0;
  switch (dtype) {
    case DType::kFloat64:
      std::memcpy(&value, at, sizeof(value));
      return value;
    case DType::kFloat32:
      std::memcpy(&single, at, sizeof(single));
      return single;
    case DType::kBFloat16: {
      std::memcpy(&half, at, sizeof(half));
      const std::uint32_t bits = std::uint32_t{half} << 16;
      std::memcpy(&single, &bits, sizeof(single));
      return single;
    }
    default: {
      std::memcpy(&half, at, sizeof(half));
      const int exponent = half >> 10 & 31;
      const int fraction = half & 1023;
      value = exponent == 0 ? std::ldexp(fraction, -24)
                            : std::ldexp(1024 + fraction, exponent - 25);
      return (half >> 15) != 0 ? -value : value;
    }
  }
}

namespace {

void AppendElement(DType dtype, double value, std::vector<std::byte>& bytes) {
  std::byte element[sizeof(double)];
  const auto single = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &single, sizeof(bits));
  std::uint16_t half = 0;
  switch (dtype) {
    case DType::kFloat64:
      std::memcpy(element, &value, sizeof(value));
      break;
    case DType::kFloat32:
      std::memcpy(element, &single, sizeof(single));
      break;
    case DType::kBFloat16:
      half = static_cast<std::uint16_t>(bits >> 16);
      std::memcpy(element, &half, sizeof(half));
      break;
    default:
      // Rebias the exponent from 127 to 15; 0 stays 0.
      half = static_cast<std::uint16_t>(
          (bits >> 16 & 0x8000) |
          (value == 0 ? 0 : ((bits & 0x7fffffff) - (112u << 23)) >> 13));
      std::memcpy(element, &half, sizeof(half));
  }
  bytes.insert(bytes.end(), element, element + SizeOf(dtype));
  EXPECT_EQ(ReadElement(dtype, bytes.data() + bytes.size() - SizeOf(dtype)),
            value)
      << "a golden input that its dtype cannot hold";
}

}  // namespace

std::vector<std::byte> ToPayload(DType dtype,
                                 const std::vector<double>& values) {
  std::vector<std::byte> bytes;
  for (const double value : values) AppendElement(dtype, value, bytes);
  return bytes;
}

double HalfUlpOf(DType dtype, double value) {
  switch (dtype) {
    case DType::kFloat64:
      return HalfUlpOfFloat64(value);
    case DType::kFloat16:
      return HalfUlpOfFloat16(value);
    case DType::kBFloat16:
      return HalfUlpOfBFloat16(value);
    default:
      return HalfUlpOfFloat32(value);
  }
}

std::string Descr(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return "<f8";
    case DType::kFloat16:
      return "<f2";
    case DType::kBFloat16:
      return "<u2";
    default:
      return "<f4";
  }
}

}  // namespace posenc::testing
