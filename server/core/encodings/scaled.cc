#include "server/core/encodings/scaled.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace posenc::server {
namespace {

void Multiply(double factor, std::span<double> values) {
  for (double& value : values) value *= factor;
}

// Half the distance between the numbers of a type that are nearest to 0: what
// rounding costs however small the values are.
double HalfLeastNumber(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return 0x1p-25;
    case DType::kBFloat16:
      return 0x1p-134;
    case DType::kFloat32:
      return 0x1p-150;
    default:
      return 0x1p-1074;  // half of it would be 0
  }
}

}  // namespace

std::string Scaled::Key(double factor, const std::string& inner_key) {
  return absl::StrCat("scaled ",
                      absl::Hex(std::bit_cast<std::uint64_t>(factor)), " ",
                      inner_key);
}

absl::Status Scaled::BuildRows(std::int64_t first,
                               std::span<double> rows) const {
  const absl::Status status = inner_->BuildRows(first, rows);
  Multiply(factor_, rows);
  return status;
}

absl::Status Scaled::BuildRow(double position, std::span<double> row) const {
  const absl::Status status = inner_->BuildRow(position, row);
  Multiply(factor_, row);
  return status;
}

absl::Status Scaled::BuildRowAt(std::span<const double> coordinates,
                                std::span<double> row) const {
  const absl::Status status = inner_->BuildRowAt(coordinates, row);
  Multiply(factor_, row);
  return status;
}

// The values are up to |factor| large instead of 1, and so are their roundings:
// the least power of two that is not below it times those of the plain ones.
std::optional<double> Scaled::MaxError(DType dtype) const {
  const std::optional<double> plain = inner_->MaxError(dtype);
  if (!plain) return std::nullopt;
  return std::max(2 * std::abs(factor_) * *plain, HalfLeastNumber(dtype));
}

}  // namespace posenc::server
