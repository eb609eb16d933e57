#ifndef POSENC_SERVER_CORE_ENCODINGS_FLOAT32_SINUSOIDAL_H_
#define POSENC_SERVER_CORE_ENCODINGS_FLOAT32_SINUSOIDAL_H_

#include <string>
#include <vector>

#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"
#include "server/core/encodings/float32_angles.h"
#include "server/core/encodings/sinusoid_shape.h"

namespace posenc::server {

// A Sinusoidal as a library computes it in float32 (angle_precision).
class Float32Sinusoidal final : public Encoding {
 public:
  static std::string Key(const EncodingSpec& spec);

  explicit Float32Sinusoidal(const EncodingSpec& spec);

  Op op() const override { return Op::kAdd; }
  std::uint64_t width() const override { return shape_.width; }
  PositionRange range() const override { return angles_.range(); }
  std::uint64_t bytes() const override {
    return sizeof(*this) + angles_.size() * sizeof(float);
  }
  absl::Status BuildRows(std::int64_t first,
                         std::span<double> rows) const override;
  absl::Status BuildRow(double position, std::span<double> row) const override;
  std::vector<double> Frequencies() const override {
    return angles_.Frequencies();
  }

 private:
  SinusoidShape shape_;
  Float32Angles angles_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_FLOAT32_SINUSOIDAL_H_
