#include "server/core/encodings/float32_rotary.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/core/encodings/rotary.h"
#include "server/core/encodings/rotary_frequencies.h"

namespace posenc::server {
namespace {

std::vector<float> RoundedFrequencies(const EncodingSpec& spec) {
  if (spec.frequency_scaling.rule == FrequencyRule::kNone) {
    return Float32Frequencies(spec.angle_precision, spec.base,
                              static_cast<double>(spec.rotary_dimension),
                              spec.rotary_dimension / 2);
  }
  EncodingSpec unscaled = spec;
  unscaled.angle_scale = 1;
  std::vector<float> frequencies;
  for (const double frequency : RotaryFrequencies(unscaled).radians) {
    frequencies.push_back(static_cast<float>(frequency));
  }
  return frequencies;
}

}  // namespace

std::string Float32Rotary::Key(const EncodingSpec& spec) {
  return absl::StrCat(
      "float32 precision=", static_cast<int>(spec.angle_precision), " ",
      Rotary::Key(spec));
}

Float32Rotary::Float32Rotary(const EncodingSpec& spec)
    : attention_(static_cast<float>(RotaryAttentionFactor(spec))),
      angles_(RoundedFrequencies(spec), spec.angle_scale, spec.start) {}

absl::Status Float32Rotary::BuildRows(std::int64_t first,
                                      std::span<double> rows) const {
  const PositionRange rows_of = range();
  for (; !rows.empty(); rows = rows.subspan(width()), ++first) {
    const std::span<double> row = rows.first(width());
    if (first < rows_of.first || first > rows_of.last) {
      std::fill(row.begin(), row.end(), 0.0);
      continue;
    }
    const absl::Status status = BuildRow(static_cast<double>(first), row);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Float32Rotary::BuildRow(double position,
                                     std::span<double> row) const {
  angles_.At(position, row.data() + angles_.size(), row.data());
  for (double& value : row) {
    value = static_cast<float>(value) * attention_;
  }
  return absl::OkStatus();
}

}  // namespace posenc::server
