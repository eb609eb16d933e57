#ifndef POSENC_SERVER_CORE_ENCODINGS_SINUSOIDAL_H_
#define POSENC_SERVER_CORE_ENCODINGS_SINUSOIDAL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "server/core/encoding_spec.h"
#include "server/core/encodings/angle_walk.h"
#include "server/core/encodings/encoding.h"
#include "server/core/encodings/sinusoid_shape.h"
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
  std::optional<double> MaxError(DType dtype) const override {
    return MaxErrorOfSines(dtype);
  }
  std::vector<double> Frequencies() const override {
    return angles_.frequencies().radians;
  }

 private:
  void WriteRow(const AngleSum& angles, RotateFunction rotate_row,
                std::span<double> row) const;
  void WriteRows(std::int64_t first, std::span<double> rows,
                 RotateFunction rotate_row) const;

  SinusoidShape shape_;
  AngleSteps angles_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_SINUSOIDAL_H_
