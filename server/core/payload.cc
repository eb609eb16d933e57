#include "server/core/payload.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "server/base/checked_math.h"
#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

// The payload as values of its own type; the bytes have been counted.
template <typename T>
std::vector<T> Read(const TensorView& tensor) {
  std::vector<T> values(TotalBytes(tensor.data) / sizeof(T));
  CopyTo(tensor.data, reinterpret_cast<std::byte*>(values.data()));
  return values;
}

template <typename T, typename U>
std::vector<T> Widen(const std::vector<U>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

absl::StatusOr<std::uint64_t> CheckPayload(const TensorView& tensor,
                                           absl::string_view what) {
  for (const std::uint64_t extent : tensor.shape) {
    if (extent == 0) {
      return Invalid("EMPTY_DIMENSION",
                     absl::StrCat(what, " are ", ToString(tensor.shape),
                                  ", but no dimension may be 0"));
    }
  }
  const auto elements = CheckedProduct(tensor.shape);
  const auto bytes = elements ? CheckedMultiply(*elements, SizeOf(tensor.dtype))
                              : std::nullopt;
  if (!bytes) {
    return Invalid(
        "SHAPE_OVERFLOW",
        absl::StrCat(what, " are ", ToString(tensor.shape), " of ",
                     Name(tensor.dtype), ", which is more than 2^64 bytes"));
  }
  const std::uint64_t payload = TotalBytes(tensor.data);
  if (payload != *bytes) {
    return Invalid("PAYLOAD_SIZE",
                   absl::StrCat(what, " are ", ToString(tensor.shape), " of ",
                                Name(tensor.dtype), ", which is ", *bytes,
                                " bytes, but the payload has ", payload));
  }
  return *elements;
}

absl::StatusOr<std::vector<std::int64_t>> ReadIntegers(const TensorView& tensor,
                                                       absl::string_view what) {
  switch (tensor.dtype) {
    case DType::kInt32:
      return Widen<std::int64_t>(Read<std::int32_t>(tensor));
    case DType::kInt64:
      return Read<std::int64_t>(tensor);
    default:
      return Invalid("DTYPE", absl::StrCat(what, " are ", Name(tensor.dtype),
                                           ", but must be INT32 or INT64"));
  }
}

absl::StatusOr<std::vector<double>> ReadPositions(const TensorView& tensor,
                                                  absl::string_view what) {
  const auto check = [&](const auto& values) -> absl::Status {
    constexpr auto kMost = static_cast<double>(kMaxPosition);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<double>(values[i]);
      if (std::abs(value) <= kMost) continue;
      return Invalid(
          std::isfinite(value) ? "POSITION_OUT_OF_BOUNDS" : "NON_FINITE",
          absl::StrCat(what, " has ", values[i], " at index ", i,
                       ", but positions are finite and within ±",
                       kMaxPosition));
    }
    return absl::OkStatus();
  };
  if (tensor.dtype == DType::kFloat64) {
    std::vector<double> values = Read<double>(tensor);
    const absl::Status status = check(values);
    if (!status.ok()) return status;
    return values;
  }
  if (tensor.dtype != DType::kInt32 && tensor.dtype != DType::kInt64) {
    return Invalid("DTYPE",
                   absl::StrCat(what, " are ", Name(tensor.dtype),
                                ", but must be INT32, INT64 or FLOAT64"));
  }
  const auto integers = ReadIntegers(tensor, what);
  if (!integers.ok()) return integers.status();
  const absl::Status status = check(*integers);
  if (!status.ok()) return status;
  std::vector<double> values(integers->size());
  std::transform(integers->begin(), integers->end(), values.begin(),
                 [](std::int64_t value) { return static_cast<double>(value); });
  return values;
}

}  // namespace posenc::server
