#include "server/core/position_schemes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/base/checked_math.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/core/payload.h"

namespace posenc::server {
namespace {

// offset, offset + 1, …
std::vector<double> CountFrom(std::int64_t offset, std::uint64_t tokens) {
  std::vector<double> positions(tokens);
  std::iota(positions.begin(), positions.end(), static_cast<double>(offset));
  return positions;
}

absl::StatusOr<PositionList> Strides(double offset, double stride,
                                     const BatchShape& batch) {
  if (!std::isfinite(stride)) {
    return Invalid("NON_FINITE", absl::StrCat("positions.stride is ", stride,
                                              ", but must be finite"));
  }
  const double last =
      std::fma(static_cast<double>(batch.sequence - 1), stride, offset);
  if (!(std::abs(last) <= static_cast<double>(kMaxPosition))) {
    return Invalid(
        "POSITION_OUT_OF_BOUNDS",
        absl::StrCat("positions.stride is ", stride,
                     ", which puts the last of ", batch.sequence, " tokens at ",
                     last, ", but positions are within ±", kMaxPosition));
  }
  std::vector<double> positions(batch.sequence);
  for (std::uint64_t i = 0; i < batch.sequence; ++i) {
    positions[i] = std::fma(static_cast<double>(i), stride, offset);
  }
  return ShareSequence(std::move(positions), batch);
}

// The lengths of `count` sequences of at most `longest` tokens each.
absl::StatusOr<std::vector<std::int64_t>> ReadLengths(const TensorView& tensor,
                                                      absl::string_view what,
                                                      std::uint64_t longest) {
  const auto elements = CheckPayload(tensor, what);
  if (!elements.ok()) return elements.status();
  if (tensor.shape.size() != 1) {
    return Invalid("LENGTHS_SHAPE",
                   absl::StrCat(what, " are ", ToString(tensor.shape),
                                ", but must have one dimension"));
  }
  auto lengths = ReadIntegers(tensor, what);
  if (!lengths.ok()) return lengths;
  for (std::size_t i = 0; i < lengths->size(); ++i) {
    const std::int64_t length = (*lengths)[i];
    if (length >= 0 && static_cast<std::uint64_t>(length) <= longest) continue;
    return Invalid("LENGTH_OUT_OF_BOUNDS",
                   absl::StrCat(what, " has ", length, " at index ", i,
                                ", but a length is 0 to ", longest));
  }
  return lengths;
}

}  // namespace

absl::Status CheckOffset(std::int64_t offset, std::uint64_t tokens) {
  const std::int64_t last_offset =
      kMaxPosition -
      static_cast<std::int64_t>(std::min<std::uint64_t>(tokens, kMaxPosition));
  if (offset >= -kMaxPosition && offset <= last_offset) {
    return absl::OkStatus();
  }
  return Invalid(
      "POSITION_OUT_OF_BOUNDS",
      absl::StrCat("positions.offset is ", offset, ", but with ", tokens,
                   " tokens it must be ", -kMaxPosition, " to ", last_offset));
}

double PaddingPosition(PaddingRows rule, std::int64_t offset) {
  if (rule == PaddingRows::kBeforeFirst) return -1;
  if (rule == PaddingRows::kBeforeOffset && offset != 0) {
    return static_cast<double>(offset - 1);
  }
  return PositionList::Padding();
}

void MarkPadding(PaddingRows rule, std::int64_t offset, PositionList& list) {
  if (rule == PaddingRows::kEncode) return;
  const double position = PaddingPosition(rule, offset);
  if (position < static_cast<double>(offset)) list.padding_position = position;
}

absl::StatusOr<PositionList> CountedPositions(const PositionFields& fields,
                                              const BatchShape& batch) {
  const std::int64_t offset = fields.offset.value_or(0);
  if (fields.stride) {
    return Strides(static_cast<double>(offset), *fields.stride, batch);
  }
  return ShareSequence(CountFrom(offset, batch.sequence), batch);
}

absl::StatusOr<PositionList> GivenPositions(const PositionFields& fields,
                                            const BatchShape& batch) {
  const TensorView& tensor = fields.tensor;
  const auto elements = CheckPayload(tensor, "positions.values");
  if (!elements.ok()) return elements.status();
  const bool sequence_first = batch.layout == BatchLayout::kSequenceFirst;
  const Shape all = sequence_first ? Shape{batch.sequence, batch.batch}
                                   : Shape{batch.batch, batch.sequence};
  const bool shared = tensor.shape == Shape{batch.sequence};
  if (!shared && tensor.shape != all) {
    return Invalid("POSITIONS_SHAPE",
                   absl::StrCat("positions.values are ", ToString(tensor.shape),
                                ", but must be [", batch.sequence, "] or ",
                                ToString(all)));
  }
  auto values = ReadPositions(tensor, "positions.values");
  if (!values.ok()) return values.status();
  if (shared) return ShareSequence(*std::move(values), batch);
  // Those of a batch whose sequences come first are in its order already.
  if (sequence_first) return PositionList{.values = *std::move(values)};
  return SpreadTokens(*std::move(values), 1, batch);
}

absl::StatusOr<PositionList> PaddedPositions(const PositionFields& fields,
                                             const BatchShape& batch,
                                             PaddingRows padding) {
  const auto lengths =
      ReadLengths(fields.tensor, "positions.padded_lengths", batch.sequence);
  if (!lengths.ok()) return lengths.status();
  if (lengths->size() != batch.batch) {
    return Invalid("LENGTHS_SHAPE",
                   absl::StrCat("positions.padded_lengths has ",
                                lengths->size(), " lengths, but the batch has ",
                                batch.batch, " sequences"));
  }
  const std::int64_t offset = fields.offset.value_or(0);
  if (padding == PaddingRows::kEncode) return CountedPositions(fields, batch);
  std::vector<double> positions(batch.tokens(),
                                PaddingPosition(padding, offset));
  auto at = positions.begin();
  for (const std::int64_t length : *lengths) {
    std::iota(at, at + length, static_cast<double>(offset));
    at += static_cast<std::ptrdiff_t>(batch.sequence);
  }
  PositionList list = SpreadTokens(std::move(positions), 1, batch);
  MarkPadding(padding, offset, list);
  return list;
}

absl::StatusOr<PositionList> PackedPositions(const PositionFields& fields,
                                             const BatchShape& batch) {
  const auto lengths =
      ReadLengths(fields.tensor, "positions.packed_lengths", batch.sequence);
  if (!lengths.ok()) return lengths.status();
  std::uint64_t total = 0;
  for (const std::int64_t length : *lengths) {
    total = CheckedAdd(total, static_cast<std::uint64_t>(length))
                .value_or(std::numeric_limits<std::uint64_t>::max());
  }
  if (total != batch.sequence) {
    return Invalid(
        "PACKED_LENGTHS",
        absl::StrCat("positions.packed_lengths sum to ", total,
                     ", but the input has ", batch.sequence, " tokens"));
  }
  const auto offset = static_cast<double>(fields.offset.value_or(0));
  std::vector<double> positions(batch.sequence);
  auto at = positions.begin();
  for (const std::int64_t length : *lengths) {
    std::iota(at, at + length, offset);
    at += length;
  }
  return ShareSequence(std::move(positions), batch);
}

}  // namespace posenc::server
