#ifndef POSENC_SERVER_CORE_ENCODINGS_GRID_COORDINATES_H_
#define POSENC_SERVER_CORE_ENCODINGS_GRID_COORDINATES_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/core/encoding_spec.h"
#include "server/kernels/sin_cos.h"

namespace posenc::server {

// Where the indices of one axis of a grid are, in what its frequencies are
// multiplied by: start + index * base_size / (size * interpolation), or with
// normalize_coordinates that / (that of the last index + 1e-6) * 2π, good to
// 2^-98 of the larger of the start and the index's part.
class AxisCoordinates {
 public:
  // Of a resolved spec's axis grid_axes[axis].
  AxisCoordinates(const EncodingSpec& spec, std::size_t axis);

  // The coordinate of an index, where `last` is the last one; that matters to
  // normalized ones alone. INVALID_ARGUMENT for one that is not within
  // ±kMaxGridCoordinate, or a quotient of which nothing is left.
  absl::StatusOr<DoubleDouble> At(double index, double last) const;

  // base_size / (size * interpolation).
  DoubleDouble step() const { return step_; }

 private:
  DoubleDouble Plain(double index) const;

  double start_;
  DoubleDouble step_;
  bool normalized_;
};

// INVALID_ARGUMENT, with the number and its bounds, if a token of a spec's grid
// has no coordinate. Sizes, base sizes and interpolations have been checked.
absl::Status CheckGridCoordinates(const EncodingSpec& spec);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_GRID_COORDINATES_H_
