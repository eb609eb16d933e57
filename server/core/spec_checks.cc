#include "server/core/spec_checks.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/core/encodings/grid_coordinates.h"
#include "server/core/frequency_scaling.h"

namespace posenc::server {
namespace {

template <typename T>
absl::Status OutOfBounds(absl::string_view reason, absl::string_view field,
                         T value, T least, T most) {
  return Invalid(reason, absl::StrCat("encoding.", field, " is ", value,
                                      ", but must be ", least, " to ", most));
}

// NaN is out of any bounds.
template <typename T>
absl::Status CheckBounds(absl::string_view reason, absl::string_view field,
                         T value, T least, T most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return OutOfBounds(reason, field, value, least, most);
}

absl::Status CheckAngles(const EncodingSpec& spec) {
  absl::Status status =
      CheckBounds("BASE_OUT_OF_BOUNDS", "base", spec.base, kMinBase, kMaxBase);
  if (!status.ok()) return status;
  const double largest_scale = kMaxAngleScale * std::min(1.0, spec.base);
  if (spec.angle_scale >= kMinAngleScale && spec.angle_scale <= largest_scale) {
    return absl::OkStatus();
  }
  return Invalid("ANGLE_SCALE_OUT_OF_BOUNDS",
                 absl::StrCat("encoding.angle_scale is ", spec.angle_scale,
                              ", but with base ", spec.base, " must be ",
                              kMinAngleScale, " to ", largest_scale));
}

absl::Status CheckFactors(const EncodingSpec& spec) {
  if (spec.embedding_factor && !std::isfinite(*spec.embedding_factor)) {
    return Invalid("NON_FINITE", absl::StrCat("encoding.embedding_factor is ",
                                              *spec.embedding_factor,
                                              ", but must be finite"));
  }
  if (!spec.encoding_factor) return absl::OkStatus();
  const double size = std::abs(*spec.encoding_factor);
  if (size >= kMinEncodingFactor && size <= kMaxEncodingFactor) {
    return absl::OkStatus();
  }
  return Invalid(
      "ENCODING_FACTOR_OUT_OF_BOUNDS",
      absl::StrCat("encoding.encoding_factor is ", *spec.encoding_factor,
                   ", but must be ", kMinEncodingFactor, " to ",
                   kMaxEncodingFactor, " or its negative"));
}

absl::Status CheckPositions(const EncodingSpec& spec) {
  if (spec.max_positions && *spec.max_positions == 0) {
    return Invalid("MAX_POSITIONS_ZERO",
                   "encoding.max_positions is 0, which allows no position");
  }
  return CheckBounds("START_OUT_OF_BOUNDS", "start", spec.start, -kMaxStart,
                     kMaxStart);
}

absl::Status CheckOddDimension(const EncodingSpec& spec) {
  if (spec.odd_dimension != OddDimension::kReject || spec.d_model % 2 == 0) {
    return absl::OkStatus();
  }
  return Invalid("ODD_D_MODEL",
                 absl::StrCat("d_model is ", spec.d_model,
                              ", which is odd, and profile '", spec.profile,
                              "' with odd_dimension REJECT takes even ones "
                              "only; DROP_COS and ZERO_LAST take both"));
}

// With ⌊d/2⌋ - 1 the sine of an odd d_model's last channel has a frequency
// above base^-1 where the base is below 1.
absl::Status CheckLastFrequency(const EncodingSpec& spec) {
  const bool beyond =
      spec.denominator == FrequencyDenominator::kHalfFloorMinusOne &&
      spec.odd_dimension == OddDimension::kDropCos && spec.d_model % 2 != 0;
  if (!beyond || spec.base >= 1) return absl::OkStatus();
  return Invalid("BASE_OUT_OF_BOUNDS",
                 absl::StrCat("encoding.base is ", spec.base,
                              ", but must be 1 to ", kMaxBase,
                              " with denominator HALF_FLOOR_MINUS_ONE, "
                              "odd_dimension DROP_COS and the odd d_model ",
                              spec.d_model));
}

// --- Grids -----------------------------------------------------------------

absl::Status CheckListLength(absl::string_view field, std::size_t length,
                             std::size_t axes) {
  if (length == axes) return absl::OkStatus();
  return Invalid("GRID_LISTS",
                 absl::StrCat("encoding.", field, " has ", length,
                              " entries, but encoding.grid_axes has ", axes));
}

absl::Status CheckAxes(const EncodingSpec& spec) {
  std::vector<GridAxis> walked = spec.grid_axes;
  std::sort(walked.begin(), walked.end());
  if (walked.size() > kMaxGridAxes ||
      std::adjacent_find(walked.begin(), walked.end()) != walked.end()) {
    return Invalid("GRID_AXES",
                   absl::StrCat("encoding.grid_axes has ", walked.size(),
                                " entries, but must name each of 1 to ",
                                kMaxGridAxes, " axes once"));
  }
  std::vector<GridAxis> stored = spec.channel_axes;
  std::sort(stored.begin(), stored.end());
  if (stored != walked) {
    return Invalid("GRID_AXES",
                   absl::StrCat("encoding.channel_axes has ", stored.size(),
                                " entries, but must name the ", walked.size(),
                                " of encoding.grid_axes, each once"));
  }
  return absl::OkStatus();
}

absl::Status CheckSizes(const EncodingSpec& spec) {
  if (spec.grid_sizes.empty()) {
    return Invalid(
        "GRID_SIZES_MISSING",
        absl::StrCat("encoding.grid_sizes is not given, but a grid "
                     "of ",
                     spec.grid_axes.size(), " axes needs their sizes"));
  }
  absl::Status status = CheckListLength("grid_sizes", spec.grid_sizes.size(),
                                        spec.grid_axes.size());
  if (!status.ok()) return status;
  for (const std::uint64_t size : spec.grid_sizes) {
    status = CheckBounds("GRID_SIZE_OUT_OF_BOUNDS", "grid_sizes", size,
                         std::uint64_t{1}, kMaxGridSize);
    if (!status.ok()) return status;
  }
  const std::uint64_t rows = GridRows(spec);
  return CheckBounds("GRID_SIZE_OUT_OF_BOUNDS", "grid_sizes' product", rows,
                     std::uint64_t{1}, kMaxGridRows);
}

absl::Status CompleteRatios(absl::string_view field, std::size_t axes,
                            std::vector<double>& ratios) {
  absl::Status status = CheckListLength(field, ratios.size(), axes);
  for (const double ratio : ratios) {
    if (!status.ok()) return status;
    status = CheckBounds("GRID_RATIO_OUT_OF_BOUNDS", field, ratio,
                         kMinGridRatio, kMaxGridRatio);
  }
  return status;
}

absl::Status CheckSplit(const EncodingSpec& spec) {
  const std::size_t axes = spec.grid_axes.size();
  std::uint64_t multiple = 1;
  if (spec.channel_split == ChannelSplit::kEqual) multiple = 2 * axes;
  if (spec.channel_split == ChannelSplit::kQuarterTime) {
    if (axes != 3) {
      return Invalid("GRID_AXES",
                     absl::StrCat("encoding.channel_split QUARTER_TIME needs 3 "
                                  "axes, but encoding.grid_axes has ",
                                  axes));
    }
    multiple = 16;
  }
  if (spec.d_model % multiple != 0) {
    return Invalid(
        "D_MODEL_NO_MULTIPLE",
        absl::StrCat("d_model is ", spec.d_model, ", but with ", axes,
                     " axes it must be a multiple of ", multiple));
  }
  if (spec.channel_blocks == ChannelBlocks::kByAxis) return absl::OkStatus();
  if (spec.layout == SinusoidLayout::kInterleaved ||
      spec.channel_split != ChannelSplit::kEqual) {
    return Invalid("CONTRADICTORY_FIELDS",
                   "encoding.channel_blocks BY_FUNCTION needs layout SIN_COS "
                   "or COS_SIN and channel_split EQUAL_SPLIT");
  }
  return absl::OkStatus();
}

absl::Status CompleteGrid(EncodingSpec& spec) {
  absl::Status status = CheckAxes(spec);
  if (status.ok()) status = CheckSizes(spec);
  if (!status.ok()) return status;
  const std::size_t axes = spec.grid_axes.size();
  if (spec.grid_base_sizes.empty()) {
    spec.grid_base_sizes.assign(spec.grid_sizes.begin(), spec.grid_sizes.end());
  }
  if (spec.grid_interpolations.empty())
    spec.grid_interpolations.assign(axes, 1);
  status = CompleteRatios("grid_base_sizes", axes, spec.grid_base_sizes);
  if (status.ok()) {
    status =
        CompleteRatios("grid_interpolations", axes, spec.grid_interpolations);
  }
  if (status.ok()) {
    status = CheckBounds("CLASS_ROWS_OUT_OF_BOUNDS", "class_rows",
                         spec.class_rows, std::uint64_t{0}, kMaxClassRows);
  }
  if (status.ok()) status = CheckSplit(spec);
  return status.ok() ? CheckGridCoordinates(spec) : status;
}

// --- Others ----------------------------------------------------------------

absl::Status CompleteRotary(EncodingSpec& spec) {
  if (spec.rotary_dimension == 0) spec.rotary_dimension = spec.d_model;
  if (spec.rotary_dimension % 2 != 0 || spec.rotary_dimension < 2 ||
      spec.rotary_dimension > spec.d_model) {
    return Invalid(
        "ROTARY_DIMENSION",
        absl::StrCat("encoding.rotary_dimension is ", spec.rotary_dimension,
                     ", but must be even, and 2 to the d_model of ",
                     spec.d_model));
  }
  return CompleteScaling(spec);
}

absl::Status CheckBuckets(const EncodingSpec& spec) {
  const std::uint64_t directions = spec.bidirectional ? 2 : 1;
  absl::Status status = CheckBounds("BUCKETS_OUT_OF_BOUNDS", "buckets",
                                    spec.buckets, 2 * directions, kMaxBuckets);
  if (!status.ok()) return status;
  if (spec.buckets % directions != 0) {
    return Invalid("BUCKETS_OUT_OF_BOUNDS",
                   absl::StrCat("encoding.buckets is ", spec.buckets,
                                ", but bidirectional ones must be even"));
  }
  return CheckBounds("MAX_DISTANCE_OUT_OF_BOUNDS", "max_distance",
                     spec.max_distance, spec.buckets / directions / 2 + 1,
                     kMaxBucketDistance);
}

}  // namespace

absl::Status CheckContradictions(const SpecFields& fields) {
  const auto both = [](absl::string_view what) {
    return Invalid("CONTRADICTORY_FIELDS",
                   absl::StrCat("encoding.", what, "_scale and encoding.", what,
                                "_factor are both set; one of them is enough"));
  };
  if (fields.embedding_scale && fields.embedding_factor) {
    return both("embedding");
  }
  if (fields.encoding_scale && fields.encoding_factor) return both("encoding");
  return absl::OkStatus();
}

absl::Status CompleteSpec(EncodingSpec& spec) {
  absl::Status status = CheckPositions(spec);
  if (status.ok()) status = CheckFactors(spec);
  if (status.ok()) status = CheckAngles(spec);
  if (!status.ok()) return status;
  switch (spec.kind) {
    case EncodingKind::kSinusoidal:
      status = CheckOddDimension(spec);
      return status.ok() ? CheckLastFrequency(spec) : status;
    case EncodingKind::kSinusoidalGrid:
      return CompleteGrid(spec);
    case EncodingKind::kRotary:
      return CompleteRotary(spec);
    case EncodingKind::kRelativeBuckets:
      return CheckBuckets(spec);
    case EncodingKind::kLearned:
    case EncodingKind::kAlibi:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace posenc::server
