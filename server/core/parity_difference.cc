#include "server/core/parity_difference.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "server/base/limits.h"

namespace posenc::server {

absl::StatusOr<double> LargestDifference(const Encoding& a, const Encoding& b,
                                         std::uint64_t positions) {
  constexpr auto kStep = static_cast<std::uint64_t>(kChunkRows);
  std::vector<double> rows_a, rows_b;
  double largest = 0;
  for (std::uint64_t first = 0; first < positions; first += kStep) {
    const std::uint64_t count = std::min(kStep, positions - first);
    rows_a.resize(count * a.width());
    rows_b.resize(count * b.width());
    absl::Status status = a.BuildRows(static_cast<std::int64_t>(first), rows_a);
    if (!status.ok()) return status;
    status = b.BuildRows(static_cast<std::int64_t>(first), rows_b);
    if (!status.ok()) return status;
    for (std::size_t n = 0; n < rows_a.size(); ++n) {
      largest = std::max(largest, std::abs(rows_a[n] - rows_b[n]));
    }
  }
  return largest;
}

}  // namespace posenc::server
