#ifndef POSENC_SERVER_CORE_ENCODINGS_LEARNED_H_
#define POSENC_SERVER_CORE_ENCODINGS_LEARNED_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "server/core/embedding_store.h"
#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"

namespace posenc::server {

// Rows of an embedding table: position p has row p + start (Gehring et al.
// 2017; BERT with start 0, BART and OPT with start 2). Where there is none,
// table_overflow says what it gets.
class Learned final : public Encoding {
 public:
  static std::string Key(const EncodingSpec& spec, const EmbeddingTable& table);

  // Pins the table, whose rows are spec.d_model wide.
  Learned(const EncodingSpec& spec,
          std::shared_ptr<const EmbeddingTable> table);

  Op op() const override { return Op::kAdd; }
  std::uint64_t width() const override { return table_->host.width; }
  PositionRange range() const override;
  std::uint64_t bytes() const override { return sizeof(*this); }
  absl::Status BuildRows(std::int64_t first,
                         std::span<double> rows) const override;
  absl::Status BuildRow(double position, std::span<double> row) const override;

 private:
  // The row of the table that a position has; none: zeros.
  std::optional<std::uint64_t> RowOf(std::int64_t position) const;

  std::int64_t start_;
  TableOverflow overflow_;
  std::shared_ptr<const EmbeddingTable> table_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_LEARNED_H_
