#ifndef POSENC_SERVER_CORE_PARITY_DIFFERENCE_H_
#define POSENC_SERVER_CORE_PARITY_DIFFERENCE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "server/core/encodings/encoding.h"

namespace posenc::server {

// The largest |a - b| of an element of the rows of 0 … positions - 1. Costs
// positions * width evaluations of each. REQUIRES: encodings of one width.
absl::StatusOr<double> LargestDifference(const Encoding& a, const Encoding& b,
                                         std::uint64_t positions);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_PARITY_DIFFERENCE_H_
