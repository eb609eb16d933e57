#ifndef POSENC_ENCODING_SPEC_H_
#define POSENC_ENCODING_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posenc {

// See proto/posenc/v1/encoding.proto for the meaning of each value.
enum class EncodingKind { kSinusoidal = 1, kLearned = 2 };
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
enum class PaddingRows { kEncode = 1, kZero = 2 };

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
  // Sinusoidal: w_i = base^(-i/D), finite, 1e-6 … 1e30.
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
  // Learned: the embedding table that holds the rows.
  std::optional<std::string> position_table = {};
  // Sinusoidal: what every angle is multiplied by, 1e-6 … 1e6; 1/f interpolates
  // positions by f.
  std::optional<double> angle_scale = {};
};

// The proto3 JSON form of posenc.v1.EncodingSpec: {"profile": "fairseq",
// "dModel": 512}. INVALID_ARGUMENT for what is not such an object.
absl::StatusOr<EncodingSpec> EncodingSpecFromJson(absl::string_view json);

// One line; only the fields that are set.
std::string EncodingSpecToJson(const EncodingSpec& spec);

}  // namespace posenc

#endif  // POSENC_ENCODING_SPEC_H_
