#ifndef POSENC_SERVER_CORE_ENCODING_SPEC_H_
#define POSENC_SERVER_CORE_ENCODING_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posenc::server {

// The meaning of each value is told in proto/posenc/v1/encoding.proto.
enum class EncodingKind {
  kSinusoidal,
  kLearned,
  kSinusoidalGrid,
  kRotary,
  kAlibi,
  kRelativeBuckets,
};
enum class SinusoidLayout { kInterleaved, kSinCos, kCosSin };
enum class FrequencyDenominator {
  kHalf,
  kHalfFloor,
  kHalfFloorMinusOne,
  kHalfCeil,
};
enum class OddDimension { kDropCos, kZeroLast, kReject };
enum class EmbeddingScale { kOne, kSqrtDModel, kSqrtDModelForTokenIds };
enum class PaddingRows { kEncode, kZero, kBeforeFirst, kBeforeOffset };
enum class EncodingScale { kUnscaled, kInverseSqrtDModel, kSqrtTwoOverDModel };
enum class AnglePrecision { kExact, kFloat32Exp, kFloat32Pow };
enum class TableOverflow { kError, kClamp, kZeroRow };
enum class GridAxis { kTime, kHeight, kWidth };
enum class ChannelSplit { kEqual, kQuarterTime, kEvenCeil };
enum class ChannelBlocks { kByAxis, kByFunction };
enum class RotaryPairing { kAdjacent, kHalves };
enum class FrequencyRule {
  kNone,
  kLinear,
  kNtk,
  kDynamicNtk,
  kYarn,
  kLlama3,
  kLongrope,
  kProportional,
};

// "SINUSOIDAL".
absl::string_view Name(EncodingKind kind);

struct FrequencyScaling {
  FrequencyRule rule = FrequencyRule::kNone;
  std::optional<double> factor;
  std::optional<std::uint64_t> original_context;
  std::optional<std::uint64_t> context_length;
  std::optional<double> beta_fast;
  std::optional<double> beta_slow;
  std::optional<bool> truncate;
  std::optional<double> mscale;
  std::optional<double> mscale_all_dim;
  std::optional<double> attention_factor;
  std::optional<double> low_frequency_factor;
  std::optional<double> high_frequency_factor;
  std::vector<double> short_factors;
  std::vector<double> long_factors;

  bool operator==(const FrequencyScaling&) const = default;
};

// What a caller said of an encoding: each field may be absent. Lists are when
// they are empty.
struct SpecFields {
  std::optional<std::string> profile;
  std::optional<std::uint64_t> d_model;
  std::optional<EncodingKind> kind;
  std::optional<double> base;
  std::optional<SinusoidLayout> layout;
  std::optional<FrequencyDenominator> denominator;
  std::optional<OddDimension> odd_dimension;
  std::optional<std::int64_t> start;
  std::optional<EmbeddingScale> embedding_scale;
  std::optional<double> embedding_factor;
  std::optional<PaddingRows> padding_rows;
  std::optional<std::uint64_t> max_positions;
  std::optional<std::string> position_table;
  std::optional<double> angle_scale;
  std::optional<EncodingScale> encoding_scale;
  std::optional<double> encoding_factor;
  std::optional<AnglePrecision> angle_precision;
  std::optional<TableOverflow> table_overflow;
  std::vector<GridAxis> grid_axes;
  std::vector<std::uint64_t> grid_sizes;
  std::vector<double> grid_base_sizes;
  std::vector<double> grid_interpolations;
  std::vector<GridAxis> channel_axes;
  std::optional<ChannelSplit> channel_split;
  std::optional<ChannelBlocks> channel_blocks;
  std::optional<std::uint64_t> class_rows;
  std::optional<bool> normalize_coordinates;
  std::optional<std::uint64_t> rotary_dimension;
  std::optional<RotaryPairing> rotary_pairing;
  std::optional<FrequencyScaling> frequency_scaling;
  std::optional<std::uint64_t> buckets;
  std::optional<std::uint64_t> max_distance;
  std::optional<bool> bidirectional;
};

// An encoding in full. Fields of another kind than `kind` hold their defaults
// and mean nothing.
struct EncodingSpec {
  std::string profile;
  std::uint64_t d_model = 0;
  EncodingKind kind = EncodingKind::kSinusoidal;
  double base = 1e4;
  SinusoidLayout layout = SinusoidLayout::kInterleaved;
  FrequencyDenominator denominator = FrequencyDenominator::kHalf;
  OddDimension odd_dimension = OddDimension::kDropCos;
  std::int64_t start = 0;
  EmbeddingScale embedding_scale = EmbeddingScale::kOne;
  std::optional<double> embedding_factor;  // in place of embedding_scale
  PaddingRows padding_rows = PaddingRows::kEncode;
  std::optional<std::uint64_t> max_positions;
  std::string position_table;
  double angle_scale = 1;
  EncodingScale encoding_scale = EncodingScale::kUnscaled;
  std::optional<double> encoding_factor;  // in place of encoding_scale
  AnglePrecision angle_precision = AnglePrecision::kExact;
  TableOverflow table_overflow = TableOverflow::kError;
  std::vector<GridAxis> grid_axes = {GridAxis::kHeight, GridAxis::kWidth};
  std::vector<std::uint64_t> grid_sizes;
  std::vector<double> grid_base_sizes;
  std::vector<double> grid_interpolations;
  std::vector<GridAxis> channel_axes = {GridAxis::kHeight, GridAxis::kWidth};
  ChannelSplit channel_split = ChannelSplit::kEqual;
  ChannelBlocks channel_blocks = ChannelBlocks::kByAxis;
  std::uint64_t class_rows = 0;
  bool normalize_coordinates = false;
  std::uint64_t rotary_dimension = 0;  // once resolved, at most d_model
  RotaryPairing rotary_pairing = RotaryPairing::kHalves;
  FrequencyScaling frequency_scaling;
  std::uint64_t buckets = 32;
  std::uint64_t max_distance = 128;
  bool bidirectional = true;

  bool operator==(const EncodingSpec&) const = default;

  // What embeddings that were sent, or looked up by token id, are multiplied
  // by.
  double ScaleOf(bool token_ids) const;

  // What the rows are multiplied by.
  double RowFactor() const;
};

// Tokens of the grid of a SINUSOIDAL_GRID, class rows apart.
std::uint64_t GridRows(const EncodingSpec& spec);

// Whether encodings of that kind have the field, by its name in the contract.
bool HasField(EncodingKind kind, absl::string_view field);

// A row width that the request's input fixes, and what it is the width of:
// "embeddings are [2,5,16]".
struct InputWidth {
  std::uint64_t d_model = 0;
  std::string what;
};

// The fields over their profile. INVALID_ARGUMENT for an unknown profile
// (listing the known ones), a field of another kind, a value outside its range,
// a d_model that is missing or differs from the input's.
absl::StatusOr<EncodingSpec> ResolveSpec(
    const SpecFields& fields, const std::optional<InputWidth>& input);

// A named start for specs: what a known library computes.
struct Profile {
  absl::string_view name;
  absl::string_view library;
  absl::string_view symbol;  // the library's name for it
  // Of the library whose numbers the profile was checked against; empty where
  // it follows source or paper alone.
  absl::string_view checked_version;
  EncodingSpec spec;  // d_model 0: the caller's
};

inline constexpr char kDefaultProfile[] = "torchlingo";

// All profiles, by name.
const std::vector<Profile>& Profiles();

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODING_SPEC_H_
