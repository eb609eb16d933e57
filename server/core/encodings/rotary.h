#ifndef POSENC_SERVER_CORE_ENCODINGS_ROTARY_H_
#define POSENC_SERVER_CORE_ENCODINGS_ROTARY_H_

#include <string>
#include <vector>

#include "server/core/encoding_spec.h"
#include "server/core/encodings/angle_walk.h"
#include "server/core/encodings/encoding.h"

namespace posenc::server {

// Rotary position embedding (Su et al. 2021): a row holds the cosines of
// (position + start) * w_i for each pair of channels, then the sines, all times
// the attention factor. The device turns a pair (a, b) to
// (a cos - b sin, a sin + b cos).
class Rotary final : public Encoding {
 public:
  // Specs with equal keys have bit-equal rows.
  static std::string Key(const EncodingSpec& spec);

  explicit Rotary(const EncodingSpec& spec);

  Op op() const override { return Op::kRotate; }
  std::uint64_t width() const override { return 2 * angles_.size(); }
  PositionRange range() const override;
  std::uint64_t bytes() const override {
    return sizeof(*this) + angles_.bytes();
  }
  absl::Status BuildRows(std::int64_t first,
                         std::span<double> rows) const override;
  absl::Status BuildRow(double position, std::span<double> row) const override;
  std::optional<double> MaxError(DType dtype) const override;
  std::vector<double> Frequencies() const override {
    return angles_.frequencies().radians;
  }
  std::optional<double> AttentionFactor() const override { return attention_; }

 private:
  void Scale(std::span<double> rows) const;

  AngleSteps angles_;
  double attention_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_ROTARY_H_
