#ifndef POSENC_SERVER_BASE_CHECKED_MATH_H_
#define POSENC_SERVER_BASE_CHECKED_MATH_H_

#include <cstdint>
#include <optional>
#include <span>

namespace posenc::server {

// a * b, or nothing when it overflows.
constexpr std::optional<std::uint64_t> CheckedMultiply(std::uint64_t a,
                                                       std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// a + b, or nothing when it overflows.
constexpr std::optional<std::uint64_t> CheckedAdd(std::uint64_t a,
                                                  std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// The product of all factors, or nothing when a step overflows. 1 for none.
constexpr std::optional<std::uint64_t> CheckedProduct(
    std::span<const std::uint64_t> factors) {
  std::uint64_t product = 1;
  for (std::uint64_t factor : factors) {
    const auto next = CheckedMultiply(product, factor);
    if (!next) return std::nullopt;
    product = *next;
  }
  return product;
}

}  // namespace posenc::server

#endif  // POSENC_SERVER_BASE_CHECKED_MATH_H_
