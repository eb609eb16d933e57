#ifndef POSENC_SERVER_CORE_ENCODINGS_FLOAT32_ANGLES_H_
#define POSENC_SERVER_CORE_ENCODINGS_FLOAT32_ANGLES_H_

// Angles as libraries compute them that work in float32: every step is rounded
// to it. What torch prints differs from this by an ulp of a frequency or of a
// sine here and there, since its own exp and sin do.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"

namespace posenc::server {

// w_i for i < count. kFloat32Exp: exp(i * c), c = -ln(base) / D. kFloat32Pow:
// 1 / pow(base, i / D).
std::vector<float> Float32Frequencies(AnglePrecision precision, double base,
                                      double twice_denominator,
                                      std::size_t count);

// Immutable.
class Float32Angles {
 public:
  Float32Angles(std::vector<float> frequencies, double angle_scale,
                std::int64_t start)
      : frequencies_(std::move(frequencies)),
        scale_(static_cast<float>(angle_scale)),
        start_(start) {}

  std::size_t size() const { return frequencies_.size(); }
  std::vector<double> Frequencies() const {
    return {frequencies_.begin(), frequencies_.end()};
  }

  // The positions that float32 tells apart.
  PositionRange range() const;

  // size() sines and cosines of float32(position + start) * w_i, rounded to
  // float32. REQUIRES: a position in range().
  void At(double position, double* sin, double* cos) const;

 private:
  const std::vector<float> frequencies_;
  const float scale_;
  const std::int64_t start_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_FLOAT32_ANGLES_H_
