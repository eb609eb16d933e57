#include "server/core/encodings/rotary.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "server/base/limits.h"
#include "server/core/encodings/rotary_frequencies.h"

namespace posenc::server {

std::string Rotary::Key(const EncodingSpec& spec) {
  const auto hex = [](double value) {
    return absl::Hex(std::bit_cast<std::uint64_t>(value));
  };
  return absl::StrCat(
      "rotary r=", spec.rotary_dimension, " base=", hex(spec.base),
      " scale=", hex(spec.angle_scale), " start=", spec.start,
      " attention=", hex(RotaryAttentionFactor(spec)), FrequencyRuleKey(spec));
}

Rotary::Rotary(const EncodingSpec& spec)
    : angles_(RotaryFrequencies(spec), spec.start),
      attention_(RotaryAttentionFactor(spec)) {}

PositionRange Rotary::range() const { return {-kMaxPosition, kMaxPosition}; }

void Rotary::Scale(std::span<double> rows) const {
  if (attention_ == 1) return;
  for (double& value : rows) value *= attention_;
}

absl::Status Rotary::BuildRows(std::int64_t first,
                               std::span<double> rows) const {
  const std::size_t pairs = angles_.size();
  AngleWalk walk(angles_);
  for (std::size_t at = 0; at < rows.size(); at += 2 * pairs) {
    const AngleSum angles = walk.At(first++);
    double* const cosines = rows.data() + at;
    ActiveKernels().rotate(angles.a.sin, angles.a.cos, angles.b.sin,
                           angles.b.cos, cosines + pairs, cosines, 1, pairs);
  }
  Scale(rows);
  return absl::OkStatus();
}

absl::Status Rotary::BuildRow(double position, std::span<double> row) const {
  angles_.At(position, row.data() + angles_.size(), row.data());
  Scale(row);
  return absl::OkStatus();
}

// Of a value of up to m instead of 1: that of the least power of two that is
// not below m.
std::optional<double> Rotary::MaxError(DType dtype) const {
  const std::optional<double> plain = MaxErrorOfSines(dtype);
  if (!plain || attention_ == 1) return plain;
  return 2 * std::max(1.0, attention_) * *plain;
}

}  // namespace posenc::server
