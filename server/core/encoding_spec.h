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
enum class EncodingKind { kSinusoidal, kLearned };
enum class SinusoidLayout { kInterleaved, kSinCos, kCosSin };
enum class FrequencyDenominator {
  kHalf,
  kHalfFloor,
  kHalfFloorMinusOne,
  kHalfCeil,
};
enum class OddDimension { kDropCos, kZeroLast, kReject };
enum class EmbeddingScale { kOne, kSqrtDModel, kSqrtDModelForTokenIds };
enum class PaddingRows { kEncode, kZero };

// "SINUSOIDAL".
absl::string_view Name(EncodingKind kind);

// What a caller said of an encoding: each field may be absent.
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

  // What embeddings that were sent, or looked up by token id, are multiplied
  // by.
  double ScaleOf(bool token_ids) const;
};

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
  EncodingSpec spec;  // d_model 0: the caller's
};

inline constexpr char kDefaultProfile[] = "torchlingo";

// All profiles, by name.
const std::vector<Profile>& Profiles();

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODING_SPEC_H_
