#ifndef POSENC_SERVER_CORE_ENCODINGS_SINUSOIDAL_H_
#define POSENC_SERVER_CORE_ENCODINGS_SINUSOIDAL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"
#include "server/core/encodings/exact_angle.h"
#include "server/kernels/kernels.h"

namespace posenc::server {

// sin and cos of (position + start) * w_i, w_i = angle_scale * base^(-i/D)
// (Vaswani et al. 2017, §3.5; the variants are those of EncodingSpec's fields).
class Sinusoidal final : public Encoding {
 public:
  // What decides the values, apart from names: specs with equal keys have
  // bit-equal rows, others do not.
  static std::string Key(const EncodingSpec& spec);

  explicit Sinusoidal(const EncodingSpec& spec);

  Op op() const override { return Op::kAdd; }
  std::uint64_t width() const override { return shape_.width; }
  PositionRange range() const override;
  std::uint64_t bytes() const override;
  absl::Status BuildRows(std::int64_t first,
                         std::span<double> rows) const override;
  absl::Status StreamRows(std::int64_t first,
                          std::span<double> rows) const override;
  absl::Status BuildRow(double position, std::span<double> row) const override;
  std::optional<double> MaxError(DType dtype) const override;
  std::vector<double> Frequencies() const override {
    return frequencies_.radians;
  }

 private:
  // Where the elements of a row are. Every frequency has a sine; the last one
  // may have no cosine, and the last channel may belong to none.
  struct RowShape {
    std::size_t width;
    std::size_t sines;
    std::size_t cosines;
    std::size_t first_sine;
    std::size_t first_cosine;
    std::size_t stride;
  };

  // sin and cos of k * step * w_i, for k < count, as [count, sines] each.
  struct Steps {
    std::vector<double> sin;
    std::vector<double> cos;
  };

  class Walk;

  static RowShape ShapeOf(const EncodingSpec& spec);
  Steps MakeSteps(std::int64_t step, std::size_t count) const;
  void WriteRows(std::int64_t first, std::span<double> rows,
                 RotateFunction rotate_row) const;

  RowShape shape_;
  double start_;
  posenc::server::Frequencies frequencies_;
  Steps fine_;    // steps of 1
  Steps coarse_;  // steps of kFineSteps
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_SINUSOIDAL_H_
