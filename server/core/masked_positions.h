#ifndef POSENC_SERVER_CORE_MASKED_POSITIONS_H_
#define POSENC_SERVER_CORE_MASKED_POSITIONS_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "server/core/positions.h"

namespace posenc::server {

// The schemes of ResolvePositions that tell tokens from padding, with a mask or
// an id: positions are numbers of tokens before. INVALID_ARGUMENT for what does
// not fit the batch, OUT_OF_RANGE for padding whose row a grid does not have.
absl::StatusOr<PositionList> MaskedPositions(
    const PositionFields& fields, const BatchShape& batch,
    const EncodingSpec& spec, std::span<const std::uint64_t> ids);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_MASKED_POSITIONS_H_
