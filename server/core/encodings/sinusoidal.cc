#include "server/core/encodings/sinusoidal.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

// A row is reached from its chunk's first position in two angle additions: one
// by a multiple of kFineSteps, one by less. Two roundings of 2e-16 each, beside
// those of the seeds, stay within 1e-15.
constexpr std::int64_t kFineSteps = 16;
constexpr std::int64_t kCoarseSteps = kChunkRows / kFineSteps;
static_assert(kFineSteps * kCoarseSteps == kChunkRows);

// D of w_i = base^(-i/D), twice, so that it is an integer.
std::uint64_t TwiceDenominator(const EncodingSpec& spec) {
  const std::uint64_t d_model = spec.d_model;
  switch (spec.denominator) {
    case FrequencyDenominator::kHalf:
      return d_model;
    case FrequencyDenominator::kHalfFloor:
      return d_model < 2 ? 2 : d_model / 2 * 2;
    case FrequencyDenominator::kHalfFloorMinusOne:
      return d_model < 4 ? 2 : d_model / 2 * 2 - 2;
    case FrequencyDenominator::kHalfCeil:
      return (d_model + 1) / 2 * 2;
  }
  return d_model;
}

}  // namespace

std::string Sinusoidal::Key(const EncodingSpec& spec) {
  const RowShape shape = ShapeOf(spec);
  return absl::StrCat(
      "sinusoidal d=", shape.width, " sin=", shape.sines, "@", shape.first_sine,
      " cos=", shape.cosines, "@", shape.first_cosine, "/", shape.stride,
      " 2D=", TwiceDenominator(spec),
      " base=", absl::Hex(std::bit_cast<std::uint64_t>(spec.base)),
      " scale=", absl::Hex(std::bit_cast<std::uint64_t>(spec.angle_scale)),
      " start=", spec.start);
}

Sinusoidal::RowShape Sinusoidal::ShapeOf(const EncodingSpec& spec) {
  const std::size_t half = spec.d_model / 2;
  const bool extra_sine =
      spec.d_model % 2 != 0 && spec.odd_dimension != OddDimension::kZeroLast;
  RowShape shape{.width = spec.d_model,
                 .sines = half + (extra_sine ? 1 : 0),
                 .cosines = half,
                 .first_sine = 0,
                 .first_cosine = 0,
                 .stride = 1};
  switch (spec.layout) {
    case SinusoidLayout::kInterleaved:
      shape.first_cosine = 1;
      shape.stride = 2;
      break;
    case SinusoidLayout::kSinCos:
      shape.first_cosine = shape.sines;
      break;
    case SinusoidLayout::kCosSin:
      shape.first_sine = shape.cosines;
      break;
  }
  return shape;
}

Sinusoidal::Sinusoidal(const EncodingSpec& spec)
    : shape_(ShapeOf(spec)),
      start_(static_cast<double>(spec.start)),
      frequencies_(MakeFrequencies(spec.angle_scale, spec.base,
                                   static_cast<double>(TwiceDenominator(spec)),
                                   shape_.sines)),
      fine_(MakeSteps(1, kFineSteps)),
      coarse_(MakeSteps(kFineSteps, kCoarseSteps)) {}

Sinusoidal::Steps Sinusoidal::MakeSteps(std::int64_t step,
                                        std::size_t count) const {
  Steps steps;
  steps.sin.resize(count * shape_.sines);
  steps.cos.resize(count * shape_.sines);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = k * shape_.sines;
    SinCosOfTurns(static_cast<double>(static_cast<std::int64_t>(k) * step), 0,
                  frequencies_.turns, steps.sin.data() + at,
                  steps.cos.data() + at);
  }
  return steps;
}

std::optional<double> Sinusoidal::MaxError(DType dtype) const {
  // Half an ulp just below 1, and what the double arithmetic may be off.
  constexpr double kArithmetic = 1e-15;
  switch (dtype) {
    case DType::kFloat32:
      return 0x1p-25 + kArithmetic;
    case DType::kFloat16:
      return 0x1p-12 + kArithmetic;
    case DType::kBFloat16:
      return 0x1p-9 + kArithmetic;
    case DType::kFloat64:
      return 0x1p-54 + kArithmetic;
    default:
      return std::nullopt;
  }
}

// Writes rows one after another, and keeps the angles that the next one shares
// with the last.
class Sinusoidal::Walk {
 public:
  Walk(const Sinusoidal& encoding, RotateFunction rotate_row)
      : encoding_(encoding),
        n_(encoding.shape_.sines),
        rotate_(ActiveKernels().rotate),
        rotate_row_(rotate_row),
        chunk_sin_(n_),
        chunk_cos_(n_),
        run_sin_(n_),
        run_cos_(n_) {}

  void Write(std::int64_t position, std::span<double> row) {
    const std::int64_t chunk = ChunkOf(position);
    const std::int64_t within = position - chunk * kChunkRows;
    Enter(chunk, within / kFineSteps);
    const RowShape& shape = encoding_.shape_;
    const std::size_t at = static_cast<std::size_t>(within % kFineSteps) * n_;
    const double* sin = encoding_.fine_.sin.data() + at;
    const double* cos = encoding_.fine_.cos.data() + at;
    double* sines = row.data() + shape.first_sine;
    rotate_row_(run_sin_.data(), run_cos_.data(), sin, cos, sines,
                row.data() + shape.first_cosine, shape.stride, shape.cosines);
    if (shape.sines > shape.cosines) {
      const std::size_t i = n_ - 1;
      double without_place = 0;
      rotate_(&run_sin_[i], &run_cos_[i], sin + i, cos + i,
              sines + i * shape.stride, &without_place, 1, 1);
    }
    if (shape.width > shape.sines + shape.cosines) row.back() = 0;
  }

 private:
  void Enter(std::int64_t chunk, std::int64_t run) {
    if (chunk != chunk_) {
      const auto base = static_cast<double>(chunk * kChunkRows);
      SinCosOfTurns(base, encoding_.start_, encoding_.frequencies_.turns,
                    chunk_sin_.data(), chunk_cos_.data());
      chunk_ = chunk;
      run_ = -1;
    }
    if (run != run_) {
      const std::size_t at = static_cast<std::size_t>(run) * n_;
      rotate_(chunk_sin_.data(), chunk_cos_.data(),
              encoding_.coarse_.sin.data() + at,
              encoding_.coarse_.cos.data() + at, run_sin_.data(),
              run_cos_.data(), 1, n_);
      run_ = run;
    }
  }

  const Sinusoidal& encoding_;
  const std::size_t n_;
  const RotateFunction rotate_;
  const RotateFunction rotate_row_;
  std::int64_t chunk_ = std::numeric_limits<std::int64_t>::min();  // none
  std::int64_t run_ = -1;
  std::vector<double> chunk_sin_, chunk_cos_;  // at the chunk's first position
  std::vector<double> run_sin_, run_cos_;      // at the run's first position
};

PositionRange Sinusoidal::range() const {
  return {-kMaxPosition, kMaxPosition};
}

std::uint64_t Sinusoidal::bytes() const {
  return sizeof(*this) +
         shape_.sines * (sizeof(double) + sizeof(DoubleDouble)) +
         (fine_.sin.size() + coarse_.sin.size()) * 2 * sizeof(double);
}

void Sinusoidal::WriteRows(std::int64_t first, std::span<double> rows,
                           RotateFunction rotate_row) const {
  Walk walk(*this, rotate_row);
  for (; !rows.empty(); rows = rows.subspan(shape_.width)) {
    walk.Write(first++, rows.first(shape_.width));
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
  SinCosOfTurns(position, start_, frequencies_.turns, sin.data(), cos.data());
  std::fill(row.begin(), row.end(), 0.0);
  for (std::size_t i = 0; i < shape_.sines; ++i) {
    row[shape_.first_sine + i * shape_.stride] = sin[i];
    if (i < shape_.cosines) {
      row[shape_.first_cosine + i * shape_.stride] = cos[i];
    }
  }
  return absl::OkStatus();
}

}  // namespace posenc::server
