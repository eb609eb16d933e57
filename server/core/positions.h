#ifndef POSENC_SERVER_CORE_POSITIONS_H_
#define POSENC_SERVER_CORE_POSITIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/base/tensor.h"
#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"

namespace posenc::server {

// Order of the outer dimensions of a batch.
enum class BatchLayout { kBatchFirst, kSequenceFirst };

// What a caller said of positions (proto/posenc/v1/positional_encoding.proto).
struct PositionFields {
  enum class Scheme { kCount, kValues, kPaddedLengths, kPackedLengths };
  std::optional<std::int64_t> offset;
  Scheme scheme = Scheme::kCount;
  TensorView tensor;  // of every scheme but kCount
};

// The tokens of a request. A packed batch is one sequence of all its tokens.
struct BatchShape {
  std::uint64_t batch = 1;
  std::uint64_t sequence = 1;
  BatchLayout layout = BatchLayout::kBatchFirst;

  std::uint64_t tokens() const { return batch * sequence; }
};

// A position for each output row: row r has values[(r / run) % values.size()].
// Integers up to ±2^53 are exact in a double.
struct PositionList {
  std::vector<double> values;
  std::uint64_t run = 1;

  // Stands in `values` for a row that gets no encoding.
  static double Padding();
  static bool IsPadding(double value);
};

// The positions of output rows first … first + count - 1, one each.
PositionList Rows(const PositionList& list, std::uint64_t first,
                  std::uint64_t count);

// Whether the input must have one dimension fewer, [tokens, …].
bool IsPacked(const PositionFields& fields);

// Positions of all tokens, in the order of the rows. INVALID_ARGUMENT for a
// tensor that does not fit the batch, lengths that do not, contradictions, and
// positions that are not finite or beyond ±kMaxPosition. The number of values
// is at most batch.tokens().
absl::StatusOr<PositionList> ResolvePositions(const PositionFields& fields,
                                              const BatchShape& batch,
                                              PaddingRows padding);

// OUT_OF_RANGE, with the position, where it is and the limit, if one is outside
// spec.max_positions or what the encoding has rows for.
absl::Status CheckRange(const PositionList& positions, const EncodingSpec& spec,
                        const Encoding& encoding);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_POSITIONS_H_
