#ifndef POSENC_SERVER_CORE_POSITIONS_H_
#define POSENC_SERVER_CORE_POSITIONS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/base/tensor.h"
#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"
#include "server/core/position_list.h"

namespace posenc::server {

// What a caller said of positions (proto/posenc/v1/positional_encoding.proto).
struct PositionFields {
  enum class Scheme {
    kCount,
    kValues,
    kPaddedLengths,
    kPackedLengths,
    kAttentionMask,
    kPaddingId,
  };
  std::optional<std::int64_t> offset;
  Scheme scheme = Scheme::kCount;
  TensorView tensor;            // of every scheme but kCount and kPaddingId
  std::int64_t padding_id = 0;  // of kPaddingId
  std::optional<double> stride;
};

// Whether the input must have one dimension fewer, [tokens, …].
bool IsPacked(const PositionFields& fields);

// Positions of all tokens, in the order of the rows. `ids` are the token ids,
// in that order too; none where embeddings were sent. INVALID_ARGUMENT for a
// tensor that does not fit the batch, lengths that do not, contradictions, a
// grid of another size than the sequence, and positions that are not finite or
// beyond ±kMaxPosition. There are at most batch.rows() of them.
absl::StatusOr<PositionList> ResolvePositions(
    const PositionFields& fields, const BatchShape& batch,
    const EncodingSpec& spec, std::span<const std::uint64_t> ids);

// OUT_OF_RANGE, with the position, where it is and the limit, if one is outside
// spec.max_positions or what the encoding has rows for.
absl::Status CheckRange(const PositionList& positions, const EncodingSpec& spec,
                        const Encoding& encoding);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_POSITIONS_H_
