#include "client/cli/elements.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace posenc::cli {
namespace {

template <typename T>
T Load(const posenc::TensorView& view, std::size_t index) {
  T value;
  std::memcpy(&value, view.data.data() + index * sizeof(T), sizeof(T));
  return value;
}

// IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction.
float FromFloat16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int fraction = bits & 0x3FF;
  float magnitude = 0;
  if (exponent == 0x1F) {
    magnitude = fraction == 0 ? HUGE_VALF : NAN;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

float FromBFloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace

posenc::TensorView ViewOf(const posenc::Tensor& tensor) {
  return {tensor.dtype(), tensor.shape(), tensor.bytes()};
}

posenc::TensorView ViewOf(const posenc::SharedTensor& tensor) {
  return {tensor.dtype, tensor.shape, tensor.data};
}

std::size_t ElementCount(const posenc::TensorView& view) {
  return view.data.size() / posenc::SizeOf(view.dtype);
}

double ElementAt(const posenc::TensorView& view, std::size_t index) {
  switch (view.dtype) {
    case posenc::DType::kFloat32:
      return Load<float>(view, index);
    case posenc::DType::kFloat16:
      return FromFloat16(Load<std::uint16_t>(view, index));
    case posenc::DType::kBFloat16:
      return FromBFloat16(Load<std::uint16_t>(view, index));
    case posenc::DType::kFloat64:
      return Load<double>(view, index);
    case posenc::DType::kInt32:
      return Load<std::int32_t>(view, index);
    case posenc::DType::kInt64:
      return static_cast<double>(Load<std::int64_t>(view, index));
  }
  return NAN;
}

double ShortElementAt(const posenc::TensorView& view, std::size_t index) {
  const double value = ElementAt(view, index);
  const bool is_short_float =
      view.dtype != posenc::DType::kFloat64 && std::isfinite(value);
  if (!is_short_float) return value;
  char digits[64];
  const auto written =
      std::to_chars(digits, digits + sizeof(digits), static_cast<float>(value));
  double result = 0;
  std::from_chars(digits, written.ptr, result);
  return result;
}

std::string ShapeText(const posenc::Shape& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

}  // namespace posenc::cli
