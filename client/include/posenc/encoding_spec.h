#ifndef POSENC_ENCODING_SPEC_H_
#define POSENC_ENCODING_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posenc {

// See proto/posenc/v1/encoding.proto for the meaning of each value.
enum class EncodingKind {
  kSinusoidal = 1,
  kLearned = 2,
  kSinusoidalGrid = 3,
  kRotary = 4,
  kAlibi = 5,
  kRelativeBuckets = 6,
};
enum class SinusoidLayout { kInterleaved = 1, kSinCos = 2, kCosSin = 3 };
enum class FrequencyDenominator {
  kHalf = 1,               // d_model / 2, a real number
  kHalfFloor = 2,          // ⌊d_model / 2⌋
  kHalfFloorMinusOne = 3,  // ⌊d_model / 2⌋ - 1
  kHalfCeil = 4,           // ⌈d_model / 2⌉
};
enum class OddDimension { kDropCos = 1, kZeroLast = 2, kReject = 3 };
enum class EmbeddingScale {
  kOne = 1,
  kSqrtDModel = 2,
  kSqrtDModelForTokenIds = 3,  // 1 for embeddings that the caller sends
};
enum class PaddingRows {
  kEncode = 1,
  kZero = 2,
  kBeforeFirst = 3,   // the encoding of position -1
  kBeforeOffset = 4,  // of position offset - 1; nothing where the offset is 0
};
enum class EncodingScale {
  kUnscaled = 1,
  kInverseSqrtDModel = 2,
  kSqrtTwoOverDModel = 3,
};
enum class AnglePrecision { kExact = 1, kFloat32Exp = 2, kFloat32Pow = 3 };
enum class TableOverflow { kError = 1, kClamp = 2, kZeroRow = 3 };
enum class GridAxis { kTime = 1, kHeight = 2, kWidth = 3 };
enum class ChannelSplit { kEqual = 1, kQuarterTime = 2, kEvenCeil = 3 };
enum class ChannelBlocks { kByAxis = 1, kByFunction = 2 };
enum class RotaryPairing {
  kAdjacent = 1,  // channels 2i and 2i + 1
  kHalves = 2,    // channels i and i + rotary_dimension / 2
};
enum class FrequencyRule {
  kNone = 1,
  kLinear = 2,
  kNtk = 3,
  kDynamicNtk = 4,
  kYarn = 5,
  kLlama3 = 6,
  kLongrope = 7,
  kProportional = 8,
};

// How rotary frequencies are stretched for long contexts: the rule, and what it
// needs. proto/posenc/v1/encoding.proto tells which rule takes which field,
// their bounds and defaults.
struct FrequencyScaling {
  FrequencyRule rule = FrequencyRule::kNone;
  std::optional<double> factor = {};
  std::optional<std::uint64_t> original_context = {};
  std::optional<std::uint64_t> context_length = {};
  std::optional<double> beta_fast = {};
  std::optional<double> beta_slow = {};
  std::optional<bool> truncate = {};
  std::optional<double> mscale = {};
  std::optional<double> mscale_all_dim = {};
  std::optional<double> attention_factor = {};
  std::optional<double> low_frequency_factor = {};
  std::optional<double> high_frequency_factor = {};
  std::vector<double> short_factors = {};
  std::vector<double> long_factors = {};
};

// All parameters of an encoding. `profile` picks a named start; a field that is
// set overrides the profile's value, an empty one keeps it.
struct EncodingSpec {
  // "torchlingo" (the default), or another that the server knows: the README
  // has a table of them, and a wrong name's error lists them.
  std::optional<std::string> profile = {};
  // Channels of a row. Default: the last dimension of the embeddings or of the
  // embedding table.
  std::optional<std::uint32_t> d_model = {};
  std::optional<EncodingKind> kind = {};
  // Sinusoidal, grid, rotary: w_i = base^(-i/D), finite, 1e-6 … 1e30.
  std::optional<double> base = {};
  std::optional<SinusoidLayout> layout = {};
  std::optional<FrequencyDenominator> denominator = {};
  std::optional<OddDimension> odd_dimension = {};
  // Added to every position; learned: the row of position 0.
  std::optional<std::int64_t> start = {};
  // What embeddings are multiplied by: a rule, or any finite number. Not both.
  std::optional<EmbeddingScale> embedding_scale = {};
  std::optional<double> embedding_factor = {};
  std::optional<PaddingRows> padding_rows = {};
  // Positions from here on are OUT_OF_RANGE. Default: no cap.
  std::optional<std::uint64_t> max_positions = {};
  // Learned, relative buckets: the embedding table that holds the rows.
  std::optional<std::string> position_table = {};
  // Sinusoidal, grid, rotary: what every angle is multiplied by, 1e-6 … 1e6;
  // 1/f interpolates positions by f.
  std::optional<double> angle_scale = {};
  // Sinusoidal, learned, grid: what rows are multiplied by: a rule, or any
  // number of 1e-30 … 1e30 or its negative. Not both.
  std::optional<EncodingScale> encoding_scale = {};
  std::optional<double> encoding_factor = {};
  // Sinusoidal, rotary: exact, or as libraries that work in float32 do.
  std::optional<AnglePrecision> angle_precision = {};
  // Learned: what a position outside the table means.
  std::optional<TableOverflow> table_overflow = {};
  // Grid: its axes, slowest first, and their sizes, which are required; the
  // sizes to stretch it to, and divisors of the coordinates. Empty: the
  // profile's axes; no stretching.
  std::vector<GridAxis> grid_axes = {};
  std::vector<std::uint32_t> grid_sizes = {};
  std::vector<double> grid_base_sizes = {};
  std::vector<double> grid_interpolations = {};
  // Grid: order of the axes' channels, how many each gets, how they stand.
  std::vector<GridAxis> channel_axes = {};
  std::optional<ChannelSplit> channel_split = {};
  std::optional<ChannelBlocks> channel_blocks = {};
  // Grid: rows of zeros before the first token, for class tokens.
  std::optional<std::uint32_t> class_rows = {};
  // Grid: coordinates over the last one of their axis, times 2π (DETR).
  std::optional<bool> normalize_coordinates = {};
  // Rotary: channels of a head that are turned, even. Default: all.
  std::optional<std::uint32_t> rotary_dimension = {};
  std::optional<RotaryPairing> rotary_pairing = {};
  // Rotary: replaces the profile's as a whole.
  std::optional<FrequencyScaling> frequency_scaling = {};
  // Relative buckets: their number, the distance from which all share one, and
  // whether keys after the query have their own.
  std::optional<std::uint32_t> buckets = {};
  std::optional<std::uint32_t> max_distance = {};
  std::optional<bool> bidirectional = {};
};

// The proto3 JSON form of posenc.v1.EncodingSpec: {"profile": "fairseq",
// "dModel": 512}. INVALID_ARGUMENT for what is not such an object.
absl::StatusOr<EncodingSpec> EncodingSpecFromJson(absl::string_view json);

// One line; only the fields that are set.
std::string EncodingSpecToJson(const EncodingSpec& spec);

}  // namespace posenc

#endif  // POSENC_ENCODING_SPEC_H_
