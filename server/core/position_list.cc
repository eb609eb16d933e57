#include "server/core/position_list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace posenc::server {
namespace {

// `positions` in the order of the output rows, `heads` of them a token.
std::vector<double> Reordered(const std::vector<double>& positions,
                              std::size_t numbers, const BatchShape& batch,
                              std::uint64_t heads) {
  std::vector<double> values(positions.size() * heads);
  for (std::uint64_t b = 0; b < batch.batch; ++b) {
    for (std::uint64_t s = 0; s < batch.sequence; ++s) {
      const double* from =
          positions.data() + (b * batch.sequence + s) * numbers;
      for (std::uint64_t h = 0; h < heads; ++h) {
        const std::uint64_t row = batch.RowOf(b, s) + h * batch.sequence;
        std::copy_n(from, numbers, values.data() + row * numbers);
      }
    }
  }
  return values;
}

}  // namespace

bool HasHeads(BatchLayout layout) {
  return layout == BatchLayout::kHeadsSequence ||
         layout == BatchLayout::kSequenceHeads;
}

std::uint64_t BatchShape::RowOf(std::uint64_t b, std::uint64_t s) const {
  switch (layout) {
    case BatchLayout::kBatchFirst:
      return b * sequence + s;
    case BatchLayout::kSequenceFirst:
      return s * batch + b;
    case BatchLayout::kHeadsSequence:
      return b * heads * sequence + s;
    case BatchLayout::kSequenceHeads:
      return (b * sequence + s) * heads;
  }
  return 0;
}

double PositionList::Padding() {
  return std::numeric_limits<double>::quiet_NaN();
}

bool PositionList::IsPadding(double value) { return std::isnan(value); }

PositionList ShareSequence(std::vector<double> positions,
                           const BatchShape& batch) {
  PositionList list{.values = std::move(positions), .heads = batch.heads};
  if (batch.layout == BatchLayout::kSequenceFirst) list.run = batch.batch;
  if (batch.layout == BatchLayout::kSequenceHeads) list.run = batch.heads;
  return list;
}

PositionList SpreadTokens(std::vector<double> positions, std::size_t numbers,
                          const BatchShape& batch) {
  PositionList list{.numbers = numbers, .heads = batch.heads};
  const bool heads_between =
      batch.layout == BatchLayout::kHeadsSequence && batch.batch > 1;
  if (batch.layout == BatchLayout::kSequenceFirst) {
    list.values = Reordered(positions, numbers, batch, 1);
  } else if (heads_between && batch.heads > 1) {
    list.values = Reordered(positions, numbers, batch, batch.heads);
  } else {
    list.values = std::move(positions);
  }
  if (batch.layout == BatchLayout::kSequenceHeads) list.run = batch.heads;
  return list;
}

PositionList Rows(const PositionList& list, std::uint64_t first,
                  std::uint64_t count) {
  PositionList rows{
      .run = list.run, .numbers = list.numbers, .heads = list.heads};
  rows.values.reserve((count + list.run - 1) / list.run * list.numbers);
  for (std::uint64_t r = first; r < first + count; r += list.run) {
    const auto position = list.at(r / list.run % list.count());
    rows.values.insert(rows.values.end(), position.begin(), position.end());
  }
  return rows;
}

}  // namespace posenc::server
