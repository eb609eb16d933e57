#ifndef POSENC_SERVER_CORE_ENCODINGS_FLOAT32_ROTARY_H_
#define POSENC_SERVER_CORE_ENCODINGS_FLOAT32_ROTARY_H_

#include <string>
#include <vector>

#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"
#include "server/core/encodings/float32_angles.h"

namespace posenc::server {

// A Rotary as a library computes it in float32 (angle_precision). Frequencies
// that a rule has stretched are the exact ones, rounded.
class Float32Rotary final : public Encoding {
 public:
  static std::string Key(const EncodingSpec& spec);

  explicit Float32Rotary(const EncodingSpec& spec);

  Op op() const override { return Op::kRotate; }
  std::uint64_t width() const override { return 2 * angles_.size(); }
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
  std::optional<double> AttentionFactor() const override { return attention_; }

 private:
  float attention_;
  Float32Angles angles_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_FLOAT32_ROTARY_H_
