#include "server/core/encoding_spec.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/core/spec_checks.h"

namespace posenc::server {
namespace {

absl::StatusOr<EncodingSpec> SpecOfProfile(const std::string& name) {
  for (const Profile& profile : Profiles()) {
    if (profile.name == name) return profile.spec;
  }
  const auto append_name = [](std::string* out, const Profile& profile) {
    absl::StrAppend(out, profile.name);
  };
  return Invalid(
      "UNKNOWN_PROFILE",
      absl::StrCat("unknown profile '", name.substr(0, kMaxNameBytes),
                   "'; the known ones are ",
                   absl::StrJoin(Profiles(), ", ", append_name)));
}

using Kind = EncodingKind;

// The kinds that have a field. Those that are not here all have.
struct FieldOwners {
  absl::string_view field;
  std::vector<EncodingKind> kinds;
};
const std::vector<FieldOwners>& OwnedFields() {
  using Kinds = std::vector<EncodingKind>;
  static const Kinds angles = {Kind::kSinusoidal, Kind::kSinusoidalGrid,
                               Kind::kRotary};
  static const Kinds sinusoids = {Kind::kSinusoidal, Kind::kSinusoidalGrid};
  static const Kinds added = {Kind::kSinusoidal, Kind::kLearned,
                              Kind::kSinusoidalGrid};
  static const Kinds encoded = {Kind::kSinusoidal, Kind::kLearned,
                                Kind::kSinusoidalGrid, Kind::kRotary};
  static const Kinds grid = {Kind::kSinusoidalGrid};
  static const Kinds rotary = {Kind::kRotary};
  static const Kinds buckets = {Kind::kRelativeBuckets};
  static const auto& owned = *new std::vector<FieldOwners>{
      {"base", angles},
      {"layout", sinusoids},
      {"denominator", {Kind::kSinusoidal}},
      {"odd_dimension", {Kind::kSinusoidal}},
      {"start", encoded},
      {"embedding_scale", encoded},
      {"embedding_factor", encoded},
      {"padding_rows", encoded},
      {"max_positions", encoded},
      {"position_table", {Kind::kLearned, Kind::kRelativeBuckets}},
      {"angle_scale", angles},
      {"encoding_scale", added},
      {"encoding_factor", added},
      {"angle_precision", {Kind::kSinusoidal, Kind::kRotary}},
      {"table_overflow", {Kind::kLearned}},
      {"grid_axes", grid},
      {"grid_sizes", grid},
      {"grid_base_sizes", grid},
      {"grid_interpolations", grid},
      {"channel_axes", grid},
      {"channel_split", grid},
      {"channel_blocks", grid},
      {"class_rows", grid},
      {"normalize_coordinates", grid},
      {"rotary_dimension", rotary},
      {"rotary_pairing", rotary},
      {"frequency_scaling", rotary},
      {"buckets", buckets},
      {"max_distance", buckets},
      {"bidirectional", buckets},
  };
  return owned;
}

// Calls `visit` with a field's name, what was said of it, and its place in the
// spec, for every field of a kind.
template <typename Visit>
void ForEachOwnedField(const SpecFields& fields, EncodingSpec& spec,
                       Visit visit) {
  visit("base", fields.base, spec.base);
  visit("layout", fields.layout, spec.layout);
  visit("denominator", fields.denominator, spec.denominator);
  visit("odd_dimension", fields.odd_dimension, spec.odd_dimension);
  visit("start", fields.start, spec.start);
  visit("embedding_scale", fields.embedding_scale, spec.embedding_scale);
  visit("embedding_factor", fields.embedding_factor, spec.embedding_factor);
  visit("padding_rows", fields.padding_rows, spec.padding_rows);
  visit("max_positions", fields.max_positions, spec.max_positions);
  visit("position_table", fields.position_table, spec.position_table);
  visit("angle_scale", fields.angle_scale, spec.angle_scale);
  visit("encoding_scale", fields.encoding_scale, spec.encoding_scale);
  visit("encoding_factor", fields.encoding_factor, spec.encoding_factor);
  visit("angle_precision", fields.angle_precision, spec.angle_precision);
  visit("table_overflow", fields.table_overflow, spec.table_overflow);
  visit("grid_axes", fields.grid_axes, spec.grid_axes);
  visit("grid_sizes", fields.grid_sizes, spec.grid_sizes);
  visit("grid_base_sizes", fields.grid_base_sizes, spec.grid_base_sizes);
  visit("grid_interpolations", fields.grid_interpolations,
        spec.grid_interpolations);
  visit("channel_axes", fields.channel_axes, spec.channel_axes);
  visit("channel_split", fields.channel_split, spec.channel_split);
  visit("channel_blocks", fields.channel_blocks, spec.channel_blocks);
  visit("class_rows", fields.class_rows, spec.class_rows);
  visit("normalize_coordinates", fields.normalize_coordinates,
        spec.normalize_coordinates);
  visit("rotary_dimension", fields.rotary_dimension, spec.rotary_dimension);
  visit("rotary_pairing", fields.rotary_pairing, spec.rotary_pairing);
  visit("frequency_scaling", fields.frequency_scaling, spec.frequency_scaling);
  visit("buckets", fields.buckets, spec.buckets);
  visit("max_distance", fields.max_distance, spec.max_distance);
  visit("bidirectional", fields.bidirectional, spec.bidirectional);
}

template <typename T>
bool IsGiven(const std::optional<T>& field) {
  return field.has_value();
}
template <typename T>
bool IsGiven(const std::vector<T>& list) {
  return !list.empty();
}
template <typename T, typename U>
void Assign(const std::optional<T>& field, U& to) {
  to = *field;
}
template <typename T>
void Assign(const std::vector<T>& list, std::vector<T>& to) {
  to = list;
}

// Lays the fields that are given over the spec of the profile, whose kind is
// settled. INVALID_ARGUMENT for a field of another kind.
absl::Status Override(const SpecFields& fields, EncodingSpec& spec) {
  absl::Status status;
  ForEachOwnedField(
      fields, spec,
      [&](absl::string_view name, const auto& field, auto& place) {
        if (!IsGiven(field)) return;
        if (HasField(spec.kind, name)) {
          Assign(field, place);
          return;
        }
        status.Update(Invalid(
            "FIELD_OF_ANOTHER_KIND",
            absl::StrCat("encoding.", name, " is no field of ", Name(spec.kind),
                         " encodings, which this one is")));
      });
  return status;
}

absl::Status ResolveWidth(const SpecFields& fields,
                          const std::optional<InputWidth>& input,
                          EncodingSpec& spec) {
  if (input && fields.d_model && *fields.d_model != input->d_model) {
    return Invalid("D_MODEL_MISMATCH",
                   absl::StrCat(input->what, " but encoding.d_model is ",
                                *fields.d_model));
  }
  if (input) spec.d_model = input->d_model;
  if (spec.d_model == 0 && !input && !fields.d_model) {
    return Invalid("D_MODEL_MISSING",
                   "encoding.d_model is not given, and there is no input to "
                   "take it from");
  }
  if (spec.d_model < 1 || spec.d_model > kMaxDModel) {
    return Invalid("D_MODEL_OUT_OF_BOUNDS",
                   absl::StrCat("d_model is ", spec.d_model,
                                ", but must be 1 to ", kMaxDModel));
  }
  return absl::OkStatus();
}

// A profile's values for fields that another kind has mean nothing to this one.
EncodingSpec OfKind(const EncodingSpec& profile, EncodingKind kind) {
  if (profile.kind == kind) return profile;
  return {.profile = profile.profile, .kind = kind};
}

}  // namespace

bool HasField(EncodingKind kind, absl::string_view field) {
  for (const FieldOwners& owned : OwnedFields()) {
    if (owned.field != field) continue;
    return std::find(owned.kinds.begin(), owned.kinds.end(), kind) !=
           owned.kinds.end();
  }
  return true;
}

absl::string_view Name(EncodingKind kind) {
  switch (kind) {
    case Kind::kSinusoidal:
      return "SINUSOIDAL";
    case Kind::kLearned:
      return "LEARNED";
    case Kind::kSinusoidalGrid:
      return "SINUSOIDAL_GRID";
    case Kind::kRotary:
      return "ROTARY";
    case Kind::kAlibi:
      return "ALIBI";
    case Kind::kRelativeBuckets:
      return "RELATIVE_BUCKETS";
  }
  return "unknown";
}

double EncodingSpec::ScaleOf(bool token_ids) const {
  if (embedding_factor) return *embedding_factor;
  switch (embedding_scale) {
    case EmbeddingScale::kOne:
      return 1;
    case EmbeddingScale::kSqrtDModel:
      return std::sqrt(static_cast<double>(d_model));
    case EmbeddingScale::kSqrtDModelForTokenIds:
      return token_ids ? std::sqrt(static_cast<double>(d_model)) : 1;
  }
  return 1;
}

std::uint64_t GridRows(const EncodingSpec& spec) {
  std::uint64_t rows = 1;  // at most 2^48
  for (const std::uint64_t size : spec.grid_sizes) rows *= size;
  return rows;
}

double EncodingSpec::RowFactor() const {
  if (encoding_factor) return *encoding_factor;
  switch (encoding_scale) {
    case EncodingScale::kUnscaled:
      return 1;
    case EncodingScale::kInverseSqrtDModel:
      return std::sqrt(1 / static_cast<double>(d_model));
    case EncodingScale::kSqrtTwoOverDModel:
      return std::sqrt(2 / static_cast<double>(d_model));
  }
  return 1;
}

absl::StatusOr<EncodingSpec> ResolveSpec(
    const SpecFields& fields, const std::optional<InputWidth>& input) {
  const absl::StatusOr<EncodingSpec> profile =
      SpecOfProfile(fields.profile.value_or(kDefaultProfile));
  if (!profile.ok()) return profile;
  EncodingSpec spec = OfKind(*profile, fields.kind.value_or(profile->kind));
  if (fields.d_model) spec.d_model = *fields.d_model;
  absl::Status status = Override(fields, spec);
  if (status.ok()) status = ResolveWidth(fields, input, spec);
  if (status.ok()) status = CheckContradictions(fields);
  if (status.ok()) status = CompleteSpec(spec);
  if (!status.ok()) return status;
  return spec;
}

}  // namespace posenc::server
