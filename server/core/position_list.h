#ifndef POSENC_SERVER_CORE_POSITION_LIST_H_
#define POSENC_SERVER_CORE_POSITION_LIST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace posenc::server {

// Order of the outer dimensions of a batch.
enum class BatchLayout {
  kBatchFirst,
  kSequenceFirst,
  kHeadsSequence,
  kSequenceHeads,
};

// Whether tokens have heads.
bool HasHeads(BatchLayout layout);

// The tokens of a request, and the output rows of each: one a head. A packed
// batch is one sequence of all its tokens.
struct BatchShape {
  std::uint64_t batch = 1;
  std::uint64_t sequence = 1;
  BatchLayout layout = BatchLayout::kBatchFirst;
  std::uint64_t heads = 1;

  std::uint64_t tokens() const { return batch * sequence; }
  std::uint64_t rows() const { return tokens() * heads; }

  // The output row of the first head of a token.
  std::uint64_t RowOf(std::uint64_t b, std::uint64_t s) const;
};

// A position for each output row: row r has number (r / run) % count().
struct PositionList {
  // `numbers` of each position. Integers up to ±2^53 are exact in a double.
  std::vector<double> values;
  std::uint64_t run = 1;
  // 1, or of a token of a grid whose coordinates are not its index's: as
  // Encoding::BuildRowAt takes them.
  std::size_t numbers = 1;
  // What padding has, where that is before all tokens. The cap on positions is
  // not meant for it.
  std::optional<double> padding_position;
  std::uint64_t heads = 1;  // output rows of a token

  // Stands in `values`, as the first number, for a row that gets no encoding.
  static double Padding();
  static bool IsPadding(double value);

  std::uint64_t count() const { return values.size() / numbers; }
  std::span<const double> at(std::uint64_t index) const {
    return std::span(values).subspan(index * numbers, numbers);
  }
};

// The list of a batch whose sequences all have the same positions.
PositionList ShareSequence(std::vector<double> positions,
                           const BatchShape& batch);

// The list of a batch where each token has its own: [batch, sequence, numbers],
// whatever the layout.
PositionList SpreadTokens(std::vector<double> positions, std::size_t numbers,
                          const BatchShape& batch);

// The positions of output rows first … first + count - 1. REQUIRES: a multiple
// of list.run for first.
PositionList Rows(const PositionList& list, std::uint64_t first,
                  std::uint64_t count);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_POSITION_LIST_H_
