#ifndef POSENC_SERVER_CORE_PAYLOAD_H_
#define POSENC_SERVER_CORE_PAYLOAD_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/base/tensor.h"

namespace posenc::server {

// Checks of tensors in messages. `what` names the tensor in errors:
// "embeddings".

// The number of elements. INVALID_ARGUMENT if a dimension is zero, the product
// overflows, or the payload has another number of bytes.
absl::StatusOr<std::uint64_t> CheckPayload(const TensorView& tensor,
                                           absl::string_view what);

// The elements of an INT32 or INT64 tensor that CheckPayload has passed.
// INVALID_ARGUMENT for another dtype.
absl::StatusOr<std::vector<std::int64_t>> ReadIntegers(const TensorView& tensor,
                                                       absl::string_view what);

// The elements of an INT32, INT64 or FLOAT64 tensor that CheckPayload has
// passed, as positions. INVALID_ARGUMENT for another dtype, a value that is not
// finite or one beyond ±kMaxPosition.
absl::StatusOr<std::vector<double>> ReadPositions(const TensorView& tensor,
                                                  absl::string_view what);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_PAYLOAD_H_
