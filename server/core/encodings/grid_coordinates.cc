#include "server/core/encodings/grid_coordinates.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/core/encodings/double_double.h"

namespace posenc::server {
namespace {

// 1e-6, which no double is.
constexpr DoubleDouble kLastCoordinateMargin = {0x1.0c6f7a0b5ed8dp-20,
                                                0x1.b5a63f9a49c2cp-75};

}  // namespace

AxisCoordinates::AxisCoordinates(const EncodingSpec& spec, std::size_t axis)
    : start_(static_cast<double>(spec.start)),
      step_(Quotient({spec.grid_base_sizes[axis], 0},
                     Product({static_cast<double>(spec.grid_sizes[axis]), 0},
                             {spec.grid_interpolations[axis], 0}))),
      normalized_(spec.normalize_coordinates) {}

DoubleDouble AxisCoordinates::Plain(double index) const {
  return Sum({start_, 0}, Product({index, 0}, step_));
}

absl::StatusOr<DoubleDouble> AxisCoordinates::At(double index,
                                                 double last) const {
  DoubleDouble coordinate = Plain(index);
  if (normalized_) {
    const DoubleDouble divisor = Sum(Plain(last), kLastCoordinateMargin);
    if (std::abs(divisor.hi) < kMinGridDivisor) {
      return Invalid(
          "GRID_COORDINATE_OUT_OF_BOUNDS",
          absl::StrCat("encoding.normalize_coordinates divides by the last "
                       "coordinate of an axis + 1e-6, which is ",
                       divisor.hi, ", but must be at least ", kMinGridDivisor,
                       " from 0"));
    }
    coordinate = Product(Quotient(coordinate, divisor), kTwoPi);
  }
  if (std::abs(coordinate.hi) <= kMaxGridCoordinate) return coordinate;
  return Invalid(
      "GRID_COORDINATE_OUT_OF_BOUNDS",
      absl::StrCat("the coordinate of index ", index, " of an axis is ",
                   coordinate.hi, ", but must be within ±", kMaxGridCoordinate,
                   " (encoding.start, grid_base_sizes, grid_interpolations)"));
}

absl::Status CheckGridCoordinates(const EncodingSpec& spec) {
  for (std::size_t axis = 0; axis < spec.grid_axes.size(); ++axis) {
    const AxisCoordinates coordinates(spec, axis);
    const auto last = static_cast<double>(spec.grid_sizes[axis] - 1);
    // Those between are between.
    for (const double index : {0.0, last}) {
      const auto coordinate = coordinates.At(index, last);
      if (!coordinate.ok()) return coordinate.status();
    }
  }
  return absl::OkStatus();
}

}  // namespace posenc::server
