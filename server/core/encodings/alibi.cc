#include "server/core/encodings/alibi.h"

#include <bit>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "server/base/limits.h"
#include "server/core/encodings/exact_angle.h"

namespace posenc::server {
namespace {

// 2^(-8(h+1)/heads) for h < heads: all but the first of the powers of
// 2^(-8/heads).
std::vector<double> Slopes(std::uint64_t heads) {
  std::vector<double> powers =
      MakeFrequencies(1, 2, static_cast<double>(heads) / 4, heads + 1).radians;
  powers.erase(powers.begin());
  return powers;
}

}  // namespace

std::string Alibi::Key(const EncodingSpec& spec) {
  return absl::StrCat("alibi heads=", spec.d_model);
}

Alibi::Alibi(const EncodingSpec& spec) {
  const std::uint64_t heads = spec.d_model;
  const std::uint64_t power = std::bit_floor(heads);
  slopes_ = Slopes(power);
  if (heads == power) return;
  const std::vector<double> finer = Slopes(2 * power);
  for (std::size_t h = 0; slopes_.size() < heads; h += 2) {
    slopes_.push_back(finer[h]);
  }
}

PositionRange Alibi::range() const { return {-kMaxPosition, kMaxPosition}; }

absl::Status Alibi::BuildRows(std::int64_t first,
                              std::span<double> rows) const {
  for (; !rows.empty(); rows = rows.subspan(width()), ++first) {
    const absl::Status status =
        BuildRow(static_cast<double>(first), rows.first(width()));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Alibi::BuildRow(double position, std::span<double> row) const {
  for (std::size_t h = 0; h < slopes_.size(); ++h) {
    row[h] = (0 - std::abs(position)) * slopes_[h];
  }
  return absl::OkStatus();
}

}  // namespace posenc::server
