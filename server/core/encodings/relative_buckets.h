#ifndef POSENC_SERVER_CORE_ENCODINGS_RELATIVE_BUCKETS_H_
#define POSENC_SERVER_CORE_ENCODINGS_RELATIVE_BUCKETS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "server/core/embedding_store.h"
#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"

namespace posenc::server {

// T5's buckets of relative positions (Raffel et al. 2020, §2.1, and its code's
// _relative_position_bucket): of the n buckets of a direction, each of the
// first ⌊n/2⌋ distances has its own, and the others share the distances up to
// max_distance in equal steps of their logarithm. A bidirectional encoding has
// n = buckets / 2, positions after the query the second half; another has
// n = buckets, and they are in bucket 0. A row is the bucket's row of a table,
// or its number.
class RelativeBuckets final : public Encoding {
 public:
  // `table` is null where the rows are numbers.
  static std::string Key(const EncodingSpec& spec, const EmbeddingTable* table);

  // Pins the table, which has spec.buckets rows.
  RelativeBuckets(const EncodingSpec& spec,
                  std::shared_ptr<const EmbeddingTable> table);

  Op op() const override { return Op::kNone; }
  std::uint64_t width() const override {
    return table_ == nullptr ? 1 : table_->host.width;
  }
  PositionRange range() const override;
  std::uint64_t bytes() const override {
    return sizeof(*this) + thresholds_.size() * sizeof(std::uint64_t);
  }
  absl::Status BuildRows(std::int64_t first,
                         std::span<double> rows) const override;
  absl::Status BuildRow(double position, std::span<double> row) const override;

 private:
  std::uint64_t BucketOf(std::int64_t position) const;

  bool bidirectional_;
  std::uint64_t directed_;  // buckets of a direction
  std::uint64_t exact_;     // those of one distance each
  // Least distance of each of the others; the first is exact_.
  std::vector<std::uint64_t> thresholds_;
  std::shared_ptr<const EmbeddingTable> table_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_RELATIVE_BUCKETS_H_
