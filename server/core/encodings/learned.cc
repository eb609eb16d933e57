#include "server/core/encodings/learned.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/kernels/kernels.h"

namespace posenc::server {

std::string Learned::Key(const EncodingSpec& spec,
                         const EmbeddingTable& table) {
  return absl::StrCat("learned start=", spec.start,
                      " overflow=", static_cast<int>(spec.table_overflow),
                      " version=", table.version, " table=", table.name);
}

Learned::Learned(const EncodingSpec& spec,
                 std::shared_ptr<const EmbeddingTable> table)
    : start_(spec.start),
      overflow_(spec.table_overflow),
      table_(std::move(table)) {}

PositionRange Learned::range() const {
  if (overflow_ != TableOverflow::kError) return {-kMaxPosition, kMaxPosition};
  return {-start_, static_cast<std::int64_t>(table_->host.rows) - 1 - start_};
}

std::optional<std::uint64_t> Learned::RowOf(std::int64_t position) const {
  const auto last = static_cast<std::int64_t>(table_->host.rows) - 1;
  const std::int64_t row = position + start_;
  if (overflow_ == TableOverflow::kClamp) {
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(row, 0, last));
  }
  if (row < 0 || row > last) return std::nullopt;
  return static_cast<std::uint64_t>(row);
}

absl::Status Learned::BuildRows(std::int64_t first,
                                std::span<double> rows) const {
  const HostTable& host = table_->host;
  const AddFunction add = ActiveKernels().Add(host.dtype, DType::kFloat64);
  const std::vector<double> zeros(host.width);
  const std::size_t row_bytes = host.width * SizeOf(host.dtype);
  for (; !rows.empty(); rows = rows.subspan(host.width), ++first) {
    const std::optional<std::uint64_t> row = RowOf(first);
    if (!row) {
      std::fill_n(rows.begin(), host.width, 0.0);
      continue;
    }
    add(host.data + *row * row_bytes, zeros.data(), 1, rows.data(), host.width);
  }
  return table_->CheckUnchanged();
}

absl::Status Learned::BuildRow(double position, std::span<double>) const {
  return Error(absl::StatusCode::kInvalidArgument, "FRACTIONAL_POSITION",
               absl::StrCat("position ", position,
                            " is not an integer, but a LEARNED encoding has "
                            "rows for integers only"));
}

}  // namespace posenc::server
