#ifndef POSENC_SERVER_CORE_POSITION_SCHEMES_H_
#define POSENC_SERVER_CORE_POSITION_SCHEMES_H_

// The schemes of ResolvePositions that say positions or lengths, one function
// each. INVALID_ARGUMENT for what does not fit the batch.

#include <cstdint>

#include "absl/status/statusor.h"
#include "server/core/positions.h"

namespace posenc::server {

// INVALID_ARGUMENT if tokens from the offset on would be beyond ±kMaxPosition.
absl::Status CheckOffset(std::int64_t offset, std::uint64_t tokens);

// The position that a row of padding has with another rule than kEncode, where
// tokens begin at `offset`; PositionList::Padding() if none.
double PaddingPosition(PaddingRows rule, std::int64_t offset);

// Notes in the list which position is padding's, if that is before all tokens.
void MarkPadding(PaddingRows rule, std::int64_t offset, PositionList& list);

// offset + i * stride, rounded once where no double is that.
absl::StatusOr<PositionList> CountedPositions(const PositionFields& fields,
                                              const BatchShape& batch);

absl::StatusOr<PositionList> GivenPositions(const PositionFields& fields,
                                            const BatchShape& batch);

absl::StatusOr<PositionList> PaddedPositions(const PositionFields& fields,
                                             const BatchShape& batch,
                                             PaddingRows padding);

absl::StatusOr<PositionList> PackedPositions(const PositionFields& fields,
                                             const BatchShape& batch);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_POSITION_SCHEMES_H_
