#ifndef POSENC_SERVER_CORE_ENCODINGS_ALIBI_H_
#define POSENC_SERVER_CORE_ENCODINGS_ALIBI_H_

#include <string>
#include <vector>

#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"

namespace posenc::server {

// Attention with linear biases (Press et al. 2022): the row of a relative
// position p has -|p| * slope_h for each head h. With n heads, n a power of
// two, slope_h = 2^(-8(h+1)/n); else the slopes of the largest power of two m
// below n, and then the first, third, … of 2m, as in the authors' code.
class Alibi final : public Encoding {
 public:
  static std::string Key(const EncodingSpec& spec);

  explicit Alibi(const EncodingSpec& spec);

  Op op() const override { return Op::kNone; }
  std::uint64_t width() const override { return slopes_.size(); }
  PositionRange range() const override;
  std::uint64_t bytes() const override {
    return sizeof(*this) + slopes_.size() * sizeof(double);
  }
  absl::Status BuildRows(std::int64_t first,
                         std::span<double> rows) const override;
  absl::Status BuildRow(double position, std::span<double> row) const override;

 private:
  std::vector<double> slopes_;  // rounded to nearest
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_ALIBI_H_
