#ifndef POSENC_SERVER_BASE_DTYPE_H_
#define POSENC_SERVER_BASE_DTYPE_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace posenc::server {

// Element types of tensors, little-endian. The numbers index dispatch tables.
enum class DType : std::uint8_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kBFloat16 = 2,
  kFloat64 = 3,
  kInt32 = 4,
  kInt64 = 5,
};

inline constexpr int kFloatDTypes = 4;

// Whether the type is one of the kFloatDTypes floating-point types.
constexpr bool IsFloat(DType dtype) { return dtype <= DType::kFloat64; }

constexpr std::size_t SizeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
    case DType::kBFloat16:
      return 2;
    case DType::kFloat32:
    case DType::kInt32:
      return 4;
    case DType::kFloat64:
    case DType::kInt64:
      return 8;
  }
  return 0;
}

// The contract's name of the type: "FLOAT32".
absl::string_view Name(DType dtype);

}  // namespace posenc::server

#endif  // POSENC_SERVER_BASE_DTYPE_H_
