#include "server/core/positions.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/base/error.h"
#include "server/core/masked_positions.h"
#include "server/core/position_schemes.h"

namespace posenc::server {
namespace {

using Scheme = PositionFields::Scheme;

absl::string_view NameOf(Scheme scheme) {
  switch (scheme) {
    case Scheme::kCount:
      return "count";
    case Scheme::kValues:
      return "values";
    case Scheme::kPaddedLengths:
      return "padded_lengths";
    case Scheme::kPackedLengths:
      return "packed_lengths";
    case Scheme::kAttentionMask:
      return "attention_mask";
    case Scheme::kPaddingId:
      return "padding_id";
  }
  return "unknown";
}

absl::Status CheckPositionFields(const PositionFields& fields) {
  const auto both = [&](absl::string_view field) {
    return Invalid("CONTRADICTORY_FIELDS",
                   absl::StrCat("positions.", field, " and positions.",
                                NameOf(fields.scheme),
                                " are both set; the latter say where each "
                                "token is"));
  };
  if (fields.offset && fields.scheme == Scheme::kValues) return both("offset");
  if (fields.stride && fields.scheme != Scheme::kCount) return both("stride");
  return absl::OkStatus();
}

// Tokens of a grid that do not say where they are have to fill it.
absl::Status CheckGridLength(const PositionFields& fields,
                             const BatchShape& batch,
                             const EncodingSpec& spec) {
  const bool counted =
      fields.scheme == Scheme::kCount && !fields.offset && !fields.stride;
  const bool masked = fields.scheme == Scheme::kAttentionMask ||
                      fields.scheme == Scheme::kPaddingId;
  if (spec.kind != EncodingKind::kSinusoidalGrid || !(counted || masked)) {
    return absl::OkStatus();
  }
  const std::uint64_t rows = spec.class_rows + GridRows(spec);
  if (batch.sequence == rows) return absl::OkStatus();
  return Invalid(
      "GRID_MISMATCH",
      absl::StrCat("the sequence has ", batch.sequence,
                   " tokens, but encoding.grid_sizes and class_rows make ",
                   rows));
}

// Where the position with that index is first, for messages.
std::string Place(std::uint64_t index, const PositionList& list) {
  return absl::StrCat(list.heads == 1 ? "token " : "row ", index * list.run);
}

absl::Status OverCap(absl::string_view position, absl::string_view place,
                     std::uint64_t cap) {
  return Error(absl::StatusCode::kOutOfRange, "POSITION_OVER_CAP",
               absl::StrCat("position ", position, " of ", place,
                            " is outside encoding.max_positions, which allows "
                            "0 to ",
                            cap - 1));
}

absl::Status BeyondFloat32(absl::string_view position, absl::string_view place,
                           const PositionRange& range) {
  return Invalid("POSITION_BEYOND_FLOAT32",
                 absl::StrCat("position ", position, " of ", place,
                              " is beyond what float32 tells apart; with "
                              "encoding.angle_precision of that type positions "
                              "are ",
                              range.first, " to ", range.last));
}

}  // namespace

bool IsPacked(const PositionFields& fields) {
  return fields.scheme == Scheme::kPackedLengths;
}

absl::StatusOr<PositionList> ResolvePositions(
    const PositionFields& fields, const BatchShape& batch,
    const EncodingSpec& spec, std::span<const std::uint64_t> ids) {
  absl::Status status = CheckPositionFields(fields);
  if (status.ok()) {
    status = CheckOffset(fields.offset.value_or(0), batch.sequence);
  }
  if (status.ok()) status = CheckGridLength(fields, batch, spec);
  if (!status.ok()) return status;
  switch (fields.scheme) {
    case Scheme::kCount:
      return CountedPositions(fields, batch);
    case Scheme::kValues:
      return GivenPositions(fields, batch);
    case Scheme::kPaddedLengths:
      return PaddedPositions(fields, batch, spec.padding_rows);
    case Scheme::kPackedLengths:
      return PackedPositions(fields, batch);
    case Scheme::kAttentionMask:
    case Scheme::kPaddingId:
      return MaskedPositions(fields, batch, spec, ids);
  }
  return absl::InternalError("no such position scheme");
}

absl::Status CheckRange(const PositionList& positions, const EncodingSpec& spec,
                        const Encoding& encoding) {
  const PositionRange range = encoding.range();
  const auto first = static_cast<double>(range.first);
  const auto last = static_cast<double>(range.last);
  if (positions.numbers > 1) {
    // A whole grid, whatever the coordinates of its tokens.
    const auto rows = static_cast<std::uint64_t>(range.last) + 1;
    if (!spec.max_positions || *spec.max_positions >= rows) {
      return absl::OkStatus();
    }
    return OverCap(absl::StrCat(*spec.max_positions),
                   absl::StrCat("a grid of ", rows), *spec.max_positions);
  }
  const double cap = spec.max_positions
                         ? static_cast<double>(*spec.max_positions)
                         : std::numeric_limits<double>::infinity();
  const double floor =
      spec.max_positions ? 0 : -std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < positions.values.size(); ++r) {
    const double position = positions.values[r];
    if (PositionList::IsPadding(position)) continue;
    const bool capped = position != positions.padding_position;
    if (capped && (position < floor || position >= cap)) {
      return OverCap(absl::StrFormat("%.17g", position), Place(r, positions),
                     *spec.max_positions);
    }
    if (position < first || position > last) {
      if (spec.angle_precision != AnglePrecision::kExact) {
        return BeyondFloat32(absl::StrFormat("%.17g", position),
                             Place(r, positions), range);
      }
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
