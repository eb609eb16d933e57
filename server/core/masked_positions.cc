#include "server/core/masked_positions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/core/payload.h"
#include "server/core/position_schemes.h"

namespace posenc::server {
namespace {

// Which columns of each sequence are tokens, the first of them of earlier calls
// where there are more than the sequence is long.
struct TokenMask {
  std::uint64_t columns = 0;
  std::vector<std::uint8_t> is_token;  // [batch, columns]
};

absl::StatusOr<TokenMask> ReadMask(const TensorView& tensor,
                                   const BatchShape& batch) {
  constexpr char kWhat[] = "positions.attention_mask";
  const auto elements = CheckPayload(tensor, kWhat);
  if (!elements.ok()) return elements.status();
  const Shape& shape = tensor.shape;
  if (shape.size() != 2 || shape[0] != batch.batch ||
      shape[1] < batch.sequence) {
    return Invalid(
        "MASK_SHAPE",
        absl::StrCat(kWhat, " is ", ToString(shape), ", but must be [",
                     batch.batch, ",", batch.sequence, "] or longer"));
  }
  const auto values = ReadIntegers(tensor, kWhat);
  if (!values.ok()) return values.status();
  TokenMask mask{.columns = shape[1], .is_token = {}};
  mask.is_token.reserve(values->size());
  for (std::size_t i = 0; i < values->size(); ++i) {
    const std::int64_t value = (*values)[i];
    if (value != 0 && value != 1) {
      return Invalid("MASK_VALUE",
                     absl::StrCat(kWhat, " has ", value, " at [", i / shape[1],
                                  ",", i % shape[1], "], but must be 0 or 1"));
    }
    mask.is_token.push_back(static_cast<std::uint8_t>(value));
  }
  return mask;
}

absl::StatusOr<TokenMask> MaskOfIds(std::int64_t padding_id,
                                    const BatchShape& batch,
                                    std::span<const std::uint64_t> ids) {
  if (ids.empty()) {
    return Invalid("CONTRADICTORY_FIELDS",
                   absl::StrCat("positions.padding_id is ", padding_id,
                                ", but the input is embeddings, which have no "
                                "ids"));
  }
  TokenMask mask{.columns = batch.sequence, .is_token = {}};
  mask.is_token.reserve(ids.size());
  for (std::uint64_t b = 0; b < batch.batch; ++b) {
    for (std::uint64_t s = 0; s < batch.sequence; ++s) {
      const std::uint64_t id = ids[batch.RowOf(b, s)];
      const bool padding =
          padding_id >= 0 && id == static_cast<std::uint64_t>(padding_id);
      mask.is_token.push_back(padding ? 0 : 1);
    }
  }
  return mask;
}

PositionList CountTokens(const TokenMask& mask, std::int64_t offset,
                         const BatchShape& batch, PaddingRows padding) {
  const std::uint64_t past = mask.columns - batch.sequence;
  const double nowhere = PaddingPosition(padding, offset);
  std::vector<double> positions;
  positions.reserve(batch.tokens());
  const std::uint8_t* at = mask.is_token.data();
  for (std::uint64_t b = 0; b < batch.batch; ++b) {
    std::int64_t before = 0;
    for (std::uint64_t column = 0; column < mask.columns; ++column) {
      const bool is_token = *at++ != 0;
      if (column >= past) {
        // Padding is where the token before it is.
        const std::int64_t place =
            offset +
            (is_token ? before : std::max<std::int64_t>(0, before - 1));
        const bool encoded = is_token || padding == PaddingRows::kEncode;
        positions.push_back(encoded ? static_cast<double>(place) : nowhere);
      }
      if (is_token) ++before;
    }
  }
  PositionList list = SpreadTokens(std::move(positions), 1, batch);
  MarkPadding(padding, offset, list);
  return list;
}

// --- Grids -----------------------------------------------------------------

// For one sequence: along each axis the number of tokens up to and including
// each one, less 1, then the last of these along each axis: what
// Encoding::BuildRowAt takes. `values` has 2 * axes for each token of the grid.
void CountAlongAxes(const std::vector<std::uint64_t>& sizes,
                    const std::uint8_t* is_token, std::span<double> values) {
  const std::size_t axes = sizes.size();
  const std::size_t numbers = 2 * axes;
  const std::size_t tokens = values.size() / numbers;
  std::size_t stride = 1;
  for (std::size_t a = axes; a-- > 0; stride *= sizes[a]) {
    const std::size_t size = sizes[a];
    for (std::size_t t = 0; t < tokens; ++t) {
      const bool first = t / stride % size == 0;
      const double before = first ? -1 : values[(t - stride) * numbers + a];
      values[t * numbers + a] = before + is_token[t];
    }
    for (std::size_t t = tokens; t-- > 0;) {
      const bool last = t / stride % size == size - 1;
      values[t * numbers + axes + a] =
          last ? values[t * numbers + a]
               : values[(t + stride) * numbers + axes + a];
    }
  }
}

absl::Status CheckGridMask(const PositionFields& fields, const TokenMask& mask,
                           const BatchShape& batch, const EncodingSpec& spec) {
  if (fields.offset) {
    return Invalid("CONTRADICTORY_FIELDS",
                   absl::StrCat("positions.offset is ", *fields.offset,
                                ", but the tokens of a grid with a mask are "
                                "counted along its axes"));
  }
  if (mask.columns != batch.sequence) {
    return Invalid("MASK_SHAPE",
                   absl::StrCat("positions.attention_mask has ", mask.columns,
                                " columns, but with a grid must have the ",
                                batch.sequence, " of the sequence"));
  }
  const bool padded = std::find(mask.is_token.begin(), mask.is_token.end(),
                                0) != mask.is_token.end();
  if (padded && spec.padding_rows == PaddingRows::kBeforeFirst) {
    return Error(absl::StatusCode::kOutOfRange, "POSITION_OUTSIDE_TABLE",
                 absl::StrCat("position -1 of padding is outside the encoding, "
                              "which has rows for positions 0 to ",
                              batch.sequence - 1));
  }
  return absl::OkStatus();
}

absl::StatusOr<PositionList> GridPositions(const PositionFields& fields,
                                           const TokenMask& mask,
                                           const BatchShape& batch,
                                           const EncodingSpec& spec) {
  const absl::Status status = CheckGridMask(fields, mask, batch, spec);
  if (!status.ok()) return status;
  const std::size_t numbers = 2 * spec.grid_sizes.size();
  std::vector<double> values(batch.tokens() * numbers, PositionList::Padding());
  for (std::uint64_t b = 0; b < batch.batch; ++b) {
    const std::uint64_t first = b * batch.sequence + spec.class_rows;
    const std::uint64_t tokens = batch.sequence - spec.class_rows;
    const std::uint8_t* is_token = mask.is_token.data() + first;
    const auto grid =
        std::span(values).subspan(first * numbers, tokens * numbers);
    CountAlongAxes(spec.grid_sizes, is_token, grid);
    if (spec.padding_rows == PaddingRows::kEncode) continue;
    for (std::uint64_t t = 0; t < tokens; ++t) {
      if (is_token[t] == 0) grid[t * numbers] = PositionList::Padding();
    }
  }
  return SpreadTokens(std::move(values), numbers, batch);
}

}  // namespace

absl::StatusOr<PositionList> MaskedPositions(
    const PositionFields& fields, const BatchShape& batch,
    const EncodingSpec& spec, std::span<const std::uint64_t> ids) {
  const auto mask = fields.scheme == PositionFields::Scheme::kPaddingId
                        ? MaskOfIds(fields.padding_id, batch, ids)
                        : ReadMask(fields.tensor, batch);
  if (!mask.ok()) return mask.status();
  if (spec.kind == EncodingKind::kSinusoidalGrid) {
    return GridPositions(fields, *mask, batch, spec);
  }
  const std::int64_t offset = fields.offset.value_or(0);
  const absl::Status status = CheckOffset(offset, mask->columns);
  if (!status.ok()) return status;
  return CountTokens(*mask, offset, batch, spec.padding_rows);
}

}  // namespace posenc::server
