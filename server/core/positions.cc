#include "server/core/positions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/base/checked_math.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/core/payload.h"

namespace posenc::server {
namespace {

using Scheme = PositionFields::Scheme;

// The shape of a tensor with an element for each token.
Shape TokenShape(const BatchShape& batch, bool packed) {
  if (packed) return {batch.sequence};
  if (batch.layout == BatchLayout::kSequenceFirst) {
    return {batch.sequence, batch.batch};
  }
  return {batch.batch, batch.sequence};
}

// The place of output row r, for messages.
std::string Place(std::uint64_t r, const PositionList& list) {
  return absl::StrCat("token ", r * list.run);
}

absl::StatusOr<PositionList> Count(std::int64_t offset,
                                   const BatchShape& batch) {
  PositionList list;
  list.run = batch.layout == BatchLayout::kSequenceFirst ? batch.batch : 1;
  list.values.resize(batch.sequence);
  std::iota(list.values.begin(), list.values.end(),
            static_cast<double>(offset));
  return list;
}

absl::StatusOr<PositionList> FromValues(const TensorView& tensor,
                                        const BatchShape& batch) {
  const auto elements = CheckPayload(tensor, "positions.values");
  if (!elements.ok()) return elements.status();
  const Shape all = TokenShape(batch, false);
  const bool shared = tensor.shape == Shape{batch.sequence};
  if (!shared && tensor.shape != all) {
    return Invalid("POSITIONS_SHAPE",
                   absl::StrCat("positions.values are ", ToString(tensor.shape),
                                ", but must be [", batch.sequence, "] or ",
                                ToString(all)));
  }
  auto values = ReadPositions(tensor, "positions.values");
  if (!values.ok()) return values.status();
  PositionList list{.values = *std::move(values)};
  if (shared && batch.layout == BatchLayout::kSequenceFirst) {
    list.run = batch.batch;
  }
  return list;
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

absl::StatusOr<PositionList> FromPadded(const PositionFields& fields,
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
  if (padding == PaddingRows::kEncode) return Count(offset, batch);
  PositionList list;
  list.values.resize(batch.tokens());
  const bool batch_first = batch.layout == BatchLayout::kBatchFirst;
  for (std::uint64_t b = 0; b < batch.batch; ++b) {
    const auto length = static_cast<std::uint64_t>((*lengths)[b]);
    for (std::uint64_t s = 0; s < batch.sequence; ++s) {
      const std::uint64_t row =
          batch_first ? b * batch.sequence + s : s * batch.batch + b;
      list.values[row] =
          s < length
              ? static_cast<double>(offset + static_cast<std::int64_t>(s))
              : PositionList::Padding();
    }
  }
  return list;
}

absl::StatusOr<PositionList> FromPacked(const PositionFields& fields,
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
  PositionList list;
  list.values.resize(batch.sequence);
  auto at = list.values.begin();
  for (const std::int64_t length : *lengths) {
    std::iota(at, at + length, offset);
    at += length;
  }
  return list;
}

}  // namespace

double PositionList::Padding() {
  return std::numeric_limits<double>::quiet_NaN();
}

bool PositionList::IsPadding(double value) { return std::isnan(value); }

PositionList Rows(const PositionList& list, std::uint64_t first,
                  std::uint64_t count) {
  PositionList rows;
  rows.values.reserve(count);
  for (std::uint64_t r = first; r < first + count; ++r) {
    rows.values.push_back(list.values[r / list.run % list.values.size()]);
  }
  return rows;
}

bool IsPacked(const PositionFields& fields) {
  return fields.scheme == Scheme::kPackedLengths;
}

absl::StatusOr<PositionList> ResolvePositions(const PositionFields& fields,
                                              const BatchShape& batch,
                                              PaddingRows padding) {
  const std::int64_t offset = fields.offset.value_or(0);
  const std::int64_t last_offset =
      kMaxPosition - static_cast<std::int64_t>(
                         std::min<std::uint64_t>(batch.sequence, kMaxPosition));
  if (offset < -kMaxPosition || offset > last_offset) {
    return Invalid("POSITION_OUT_OF_BOUNDS",
                   absl::StrCat("positions.offset is ", offset, ", but with ",
                                batch.sequence, " tokens it must be ",
                                -kMaxPosition, " to ", last_offset));
  }
  switch (fields.scheme) {
    case Scheme::kCount:
      return Count(offset, batch);
    case Scheme::kValues:
      if (fields.offset) {
        return Invalid("CONTRADICTORY_FIELDS",
                       "positions.offset and positions.values are both set; "
                       "the values say where each token is");
      }
      return FromValues(fields.tensor, batch);
    case Scheme::kPaddedLengths:
      return FromPadded(fields, batch, padding);
    case Scheme::kPackedLengths:
      return FromPacked(fields, batch);
  }
  return absl::InternalError("no such position scheme");
}

absl::Status CheckRange(const PositionList& positions, const EncodingSpec& spec,
                        const Encoding& encoding) {
  const PositionRange range = encoding.range();
  const auto first = static_cast<double>(range.first);
  const auto last = static_cast<double>(range.last);
  const double cap = spec.max_positions
                         ? static_cast<double>(*spec.max_positions)
                         : std::numeric_limits<double>::infinity();
  const double floor =
      spec.max_positions ? 0 : -std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < positions.values.size(); ++r) {
    const double position = positions.values[r];
    if (PositionList::IsPadding(position)) continue;
    if (position < floor || position >= cap) {
      return Error(absl::StatusCode::kOutOfRange, "POSITION_OVER_CAP",
                   absl::StrCat("position ", absl::StrFormat("%.17g", position),
                                " of ", Place(r, positions),
                                " is outside encoding.max_positions, which "
                                "allows 0 to ",
                                *spec.max_positions - 1));
    }
    if (position < first || position > last) {
      return Error(absl::StatusCode::kOutOfRange, "POSITION_OUTSIDE_TABLE",
                   absl::StrCat("position ", absl::StrFormat("%.17g", position),
                                " of ", Place(r, positions),
                                " is outside the encoding, which has rows for "
                                "positions ",
                                range.first, " to ", range.last));
    }
  }
  return absl::OkStatus();
}

}  // namespace posenc::server
