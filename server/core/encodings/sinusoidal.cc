#include "server/core/encodings/sinusoidal.h"

#include "absl/strings/str_cat.h"
#include "server/base/limits.h"

namespace posenc::server {

std::string Sinusoidal::Key(const EncodingSpec& spec) {
  return absl::StrCat("sinusoidal ", SinusoidKey(spec));
}

Sinusoidal::Sinusoidal(const EncodingSpec& spec)
    : shape_(ShapeOf(spec)),
      angles_(MakeFrequencies(spec.angle_scale, spec.base,
                              static_cast<double>(TwiceDenominator(spec)),
                              shape_.sines),
              spec.start) {}

PositionRange Sinusoidal::range() const {
  return {-kMaxPosition, kMaxPosition};
}

std::uint64_t Sinusoidal::bytes() const {
  return sizeof(*this) + angles_.bytes();
}

void Sinusoidal::WriteRow(const AngleSum& angles, RotateFunction rotate_row,
                          std::span<double> row) const {
  double* sines = row.data() + shape_.first_sine;
  rotate_row(angles.a.sin, angles.a.cos, angles.b.sin, angles.b.cos, sines,
             row.data() + shape_.first_cosine, shape_.stride, shape_.cosines);
  if (shape_.sines > shape_.cosines) {
    const std::size_t i = shape_.cosines;
    double without_place = 0;
    ActiveKernels().rotate(angles.a.sin + i, angles.a.cos + i, angles.b.sin + i,
                           angles.b.cos + i, sines + i * shape_.stride,
                           &without_place, 1, 1);
  }
  if (shape_.width > shape_.sines + shape_.cosines) row.back() = 0;
}

void Sinusoidal::WriteRows(std::int64_t first, std::span<double> rows,
                           RotateFunction rotate_row) const {
  AngleWalk walk(angles_);
  for (; !rows.empty(); rows = rows.subspan(shape_.width)) {
    WriteRow(walk.At(first++), rotate_row, rows.first(shape_.width));
  }
}

absl::Status Sinusoidal::BuildRows(std::int64_t first,
                                   std::span<double> rows) const {
  WriteRows(first, rows, ActiveKernels().rotate);
  return absl::OkStatus();
}

absl::Status Sinusoidal::StreamRows(std::int64_t first,
                                    std::span<double> rows) const {
  WriteRows(first, rows, ActiveKernels().rotate_streaming);
  FinishStreaming();
  return absl::OkStatus();
}

absl::Status Sinusoidal::BuildRow(double position,
                                  std::span<double> row) const {
  std::vector<double> sin(shape_.sines), cos(shape_.sines);
  angles_.At(position, sin.data(), cos.data());
  PlaceSinusoids(shape_, sin.data(), cos.data(), row);
  return absl::OkStatus();
}

}  // namespace posenc::server
