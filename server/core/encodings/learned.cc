#include "server/core/encodings/learned.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/kernels/kernels.h"

namespace posenc::server {

std::string Learned::Key(const EncodingSpec& spec,
                         const EmbeddingTable& table) {
  return absl::StrCat("learned start=", spec.start, " version=", table.version,
                      " table=", table.name);
}

Learned::Learned(const EncodingSpec& spec,
                 std::shared_ptr<const EmbeddingTable> table)
    : start_(spec.start), table_(std::move(table)) {}

PositionRange Learned::range() const {
  return {-start_, static_cast<std::int64_t>(table_->host.rows) - 1 - start_};
}

absl::Status Learned::BuildRows(std::int64_t first,
                                std::span<double> rows) const {
  const HostTable& host = table_->host;
  const AddFunction add = ActiveKernels().Add(host.dtype, DType::kFloat64);
  const std::vector<double> zeros(host.width);
  const std::size_t row_bytes = host.width * SizeOf(host.dtype);
  for (; !rows.empty(); rows = rows.subspan(host.width), ++first) {
    const std::int64_t row = first + start_;
    if (row < 0 || static_cast<std::uint64_t>(row) >= host.rows) {
      std::fill_n(rows.begin(), host.width, 0.0);
      continue;
    }
    add(host.data + static_cast<std::size_t>(row) * row_bytes, zeros.data(), 1,
        rows.data(), host.width);
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
