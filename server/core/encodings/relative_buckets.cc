#include "server/core/encodings/relative_buckets.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/core/encodings/real.h"
#include "server/kernels/kernels.h"

namespace posenc::server {
namespace {

// ⌈exact * (max_distance / exact)^(k / steps)⌉ for k < steps. Powers that are
// integers are taken for what they are: one that came out 2^-100 too large
// would else begin a distance later.
std::vector<std::uint64_t> Thresholds(std::uint64_t exact,
                                      std::uint64_t max_distance,
                                      std::uint64_t steps) {
  constexpr mpfr_exp_t kCloseExponent = -100;
  const MpfrCleanup cleanup;
  const WideReal first(static_cast<double>(exact));
  const WideReal ratio = WideReal(static_cast<double>(max_distance)) / first;
  std::vector<std::uint64_t> thresholds;
  for (std::uint64_t k = 0; k < steps; ++k) {
    const WideReal exponent =
        WideReal(static_cast<double>(k)) / WideReal(static_cast<double>(steps));
    const WideReal power = first * Power(ratio, exponent);
    WideReal nearest;
    mpfr_round(nearest.get(), power.get());
    const WideReal distance = power - nearest;
    const bool integer = mpfr_zero_p(distance.get()) != 0 ||
                         mpfr_get_exp(distance.get()) < kCloseExponent;
    thresholds.push_back(integer ? mpfr_get_ui(nearest.get(), MPFR_RNDN)
                                 : mpfr_get_ui(power.get(), MPFR_RNDU));
  }
  return thresholds;
}

}  // namespace

std::string RelativeBuckets::Key(const EncodingSpec& spec,
                                 const EmbeddingTable* table) {
  std::string key =
      absl::StrCat("relative buckets=", spec.buckets,
                   " max=", spec.max_distance, " both=", spec.bidirectional);
  if (table != nullptr) {
    absl::StrAppend(&key, " version=", table->version, " table=", table->name);
  }
  return key;
}

RelativeBuckets::RelativeBuckets(const EncodingSpec& spec,
                                 std::shared_ptr<const EmbeddingTable> table)
    : bidirectional_(spec.bidirectional),
      directed_(spec.buckets / (spec.bidirectional ? 2 : 1)),
      exact_(directed_ / 2),
      thresholds_(Thresholds(exact_, spec.max_distance, directed_ - exact_)),
      table_(std::move(table)) {}

PositionRange RelativeBuckets::range() const {
  return {-kMaxPosition, kMaxPosition};
}

std::uint64_t RelativeBuckets::BucketOf(std::int64_t position) const {
  std::uint64_t bucket = 0;
  if (position > 0) {
    if (!bidirectional_) return 0;
    bucket = directed_;
  }
  const auto distance =
      static_cast<std::uint64_t>(position < 0 ? -position : position);
  if (distance < exact_) return bucket + distance;
  const auto above =
      std::upper_bound(thresholds_.begin(), thresholds_.end(), distance);
  return bucket + exact_ +
         static_cast<std::uint64_t>(above - thresholds_.begin()) - 1;
}

absl::Status RelativeBuckets::BuildRows(std::int64_t first,
                                        std::span<double> rows) const {
  if (table_ == nullptr) {
    for (double& row : rows) row = static_cast<double>(BucketOf(first++));
    return absl::OkStatus();
  }
  const HostTable& host = table_->host;
  const AddFunction add = ActiveKernels().Add(host.dtype, DType::kFloat64);
  const std::vector<double> zeros(host.width);
  const std::size_t row_bytes = host.width * SizeOf(host.dtype);
  for (; !rows.empty(); rows = rows.subspan(host.width), ++first) {
    add(host.data + BucketOf(first) * row_bytes, zeros.data(), 1, rows.data(),
        host.width);
  }
  return table_->CheckUnchanged();
}

absl::Status RelativeBuckets::BuildRow(double position,
                                       std::span<double>) const {
  return Invalid("FRACTIONAL_POSITION",
                 absl::StrCat("position ", position,
                              " is not an integer, but a RELATIVE_BUCKETS "
                              "encoding has rows for integers only"));
}

}  // namespace posenc::server
