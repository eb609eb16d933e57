#ifndef POSENC_TESTS_SUPPORT_ELEMENTS_H_
#define POSENC_TESTS_SUPPORT_ELEMENTS_H_

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "server/base/dtype.h"
#include "server/base/float16.h"

// Elements of any floating-point type as doubles, in memory of any alignment.
namespace posenc::server::testing {

inline constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat16,
                                    DType::kBFloat16, DType::kFloat64};

inline std::uint64_t LoadBits(const std::byte* from, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, size);
  return bits;
}

// The element's value, exactly.
inline double LoadElement(DType dtype, const std::byte* from) {
  const std::uint64_t bits = LoadBits(from, SizeOf(dtype));
  switch (dtype) {
    case DType::kFloat16:
      return F16ToDouble(static_cast<std::uint16_t>(bits));
    case DType::kBFloat16:
      return BF16ToDouble(static_cast<std::uint16_t>(bits));
    case DType::kFloat32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default:
      return std::bit_cast<double>(bits);
  }
}

// Writes the value, rounded to the type.
inline void StoreElement(DType dtype, double value, std::byte* to) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  if (dtype == DType::kFloat16) bits = DoubleToF16(value);
  if (dtype == DType::kBFloat16) bits = DoubleToBF16(value);
  if (dtype == DType::kFloat32) {
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  std::memcpy(to, &bits, SizeOf(dtype));
}

inline std::vector<std::byte> Elements(DType dtype,
                                       const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * SizeOf(dtype));
  for (std::size_t i = 0; i < values.size(); ++i) {
    StoreElement(dtype, values[i], bytes.data() + i * SizeOf(dtype));
  }
  return bytes;
}

// Whether two elements have the same bits or are both NaN.
inline bool SameElement(DType dtype, const std::byte* a, const std::byte* b) {
  const std::size_t size = SizeOf(dtype);
  return LoadBits(a, size) == LoadBits(b, size) ||
         (std::isnan(LoadElement(dtype, a)) &&
          std::isnan(LoadElement(dtype, b)));
}

}  // namespace posenc::server::testing

#endif  // POSENC_TESTS_SUPPORT_ELEMENTS_H_
