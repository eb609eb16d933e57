#include "server/core/encodings/float32_sinusoidal.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace posenc::server {

std::string Float32Sinusoidal::Key(const EncodingSpec& spec) {
  return absl::StrCat(
      "float32 sinusoidal precision=", static_cast<int>(spec.angle_precision),
      " ", SinusoidKey(spec));
}

Float32Sinusoidal::Float32Sinusoidal(const EncodingSpec& spec)
    : shape_(ShapeOf(spec)),
      angles_(Float32Frequencies(spec.angle_precision, spec.base,
                                 static_cast<double>(TwiceDenominator(spec)),
                                 shape_.sines),
              spec.angle_scale, spec.start) {}

absl::Status Float32Sinusoidal::BuildRows(std::int64_t first,
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

absl::Status Float32Sinusoidal::BuildRow(double position,
                                         std::span<double> row) const {
  std::vector<double> sin(angles_.size()), cos(angles_.size());
  angles_.At(position, sin.data(), cos.data());
  PlaceSinusoids(shape_, sin.data(), cos.data(), row);
  return absl::OkStatus();
}

}  // namespace posenc::server
