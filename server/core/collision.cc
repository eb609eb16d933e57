#include "server/core/collision.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/base/limits.h"
#include "server/kernels/kernels.h"

namespace posenc::server {
namespace {

// Makes rows as bytes of a dtype.
class RoundedRows {
 public:
  RoundedRows(const Encoding& encoding, DType dtype)
      : encoding_(encoding),
        round_(ActiveKernels().Add(DType::kFloat64, dtype)),
        row_bytes_(encoding.width() * SizeOf(dtype)),
        zeros_(encoding.width()) {}

  absl::Status Build(std::int64_t first, std::size_t count) {
    exact_.resize(count * zeros_.size());
    rounded_.resize(count * row_bytes_);
    const absl::Status status = encoding_.BuildRows(first, exact_);
    if (!status.ok()) return status;
    for (std::size_t r = 0; r < count; ++r) {
      round_(exact_.data() + r * zeros_.size(), zeros_.data(), 1,
             rounded_.data() + r * row_bytes_, zeros_.size());
    }
    return absl::OkStatus();
  }

  std::string_view row(std::size_t r) const {
    return std::string_view(rounded_).substr(r * row_bytes_, row_bytes_);
  }

 private:
  const Encoding& encoding_;
  const AddFunction round_;
  const std::size_t row_bytes_;
  const std::vector<double> zeros_;
  std::vector<double> exact_;
  std::string rounded_;
};

}  // namespace

absl::StatusOr<std::optional<Collision>> FindCollision(
    const Encoding& encoding, DType dtype, std::uint64_t positions) {
  constexpr auto kStep = static_cast<std::uint64_t>(kChunkRows);
  RoundedRows rows(encoding, dtype), earlier(encoding, dtype);
  std::unordered_multimap<std::size_t, std::uint64_t> by_hash;
  for (std::uint64_t first = 0; first < positions; first += kStep) {
    const std::uint64_t count = std::min(kStep, positions - first);
    absl::Status status = rows.Build(static_cast<std::int64_t>(first), count);
    if (!status.ok()) return status;
    for (std::uint64_t r = 0; r < count; ++r) {
      const std::size_t hash = std::hash<std::string_view>()(rows.row(r));
      const auto [begin, end] = by_hash.equal_range(hash);
      for (auto same = begin; same != end; ++same) {
        status = earlier.Build(static_cast<std::int64_t>(same->second), 1);
        if (!status.ok()) return status;
        if (earlier.row(0) == rows.row(r)) {
          return Collision{.position = first + r, .earlier = same->second};
        }
      }
      by_hash.emplace(hash, first + r);
    }
  }
  return std::optional<Collision>();
}

}  // namespace posenc::server
