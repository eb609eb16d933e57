#include "server/core/encoding_spec.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/base/error.h"
#include "server/base/limits.h"

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

absl::Status CheckKind(const SpecFields& fields, EncodingKind kind) {
  struct Owned {
    absl::string_view name;
    bool present;
    EncodingKind kind;
  };
  const Owned owned[] = {
      {"base", fields.base.has_value(), EncodingKind::kSinusoidal},
      {"layout", fields.layout.has_value(), EncodingKind::kSinusoidal},
      {"denominator", fields.denominator.has_value(),
       EncodingKind::kSinusoidal},
      {"odd_dimension", fields.odd_dimension.has_value(),
       EncodingKind::kSinusoidal},
      {"angle_scale", fields.angle_scale.has_value(),
       EncodingKind::kSinusoidal},
      {"position_table", fields.position_table.has_value(),
       EncodingKind::kLearned},
  };
  for (const Owned& field : owned) {
    if (!field.present || field.kind == kind) continue;
    return Invalid("FIELD_OF_ANOTHER_KIND",
                   absl::StrCat("encoding.", field.name, " is a field of ",
                                Name(field.kind),
                                " encodings, but this one is ", Name(kind)));
  }
  return absl::OkStatus();
}

// Lays the fields that are present over the spec of the profile.
void Override(const SpecFields& fields, EncodingSpec& spec) {
  const auto set = [](const auto& from, auto& to) {
    if (from) to = *from;
  };
  set(fields.d_model, spec.d_model);
  set(fields.kind, spec.kind);
  set(fields.base, spec.base);
  set(fields.layout, spec.layout);
  set(fields.denominator, spec.denominator);
  set(fields.odd_dimension, spec.odd_dimension);
  set(fields.start, spec.start);
  set(fields.embedding_scale, spec.embedding_scale);
  spec.embedding_factor = fields.embedding_factor;
  set(fields.padding_rows, spec.padding_rows);
  spec.max_positions = fields.max_positions;
  set(fields.position_table, spec.position_table);
  set(fields.angle_scale, spec.angle_scale);
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

absl::Status CheckValues(const SpecFields& fields, const EncodingSpec& spec) {
  if (!(spec.base >= kMinBase && spec.base <= kMaxBase)) {
    return Invalid("BASE_OUT_OF_BOUNDS",
                   absl::StrCat("encoding.base is ", spec.base,
                                ", but must be ", kMinBase, " to ", kMaxBase));
  }
  const double largest_scale = kMaxAngleScale * std::min(1.0, spec.base);
  if (!(spec.angle_scale >= kMinAngleScale &&
        spec.angle_scale <= largest_scale)) {
    return Invalid("ANGLE_SCALE_OUT_OF_BOUNDS",
                   absl::StrCat("encoding.angle_scale is ", spec.angle_scale,
                                ", but with base ", spec.base, " must be ",
                                kMinAngleScale, " to ", largest_scale));
  }
  if (spec.start < -kMaxStart || spec.start > kMaxStart) {
    return Invalid(
        "START_OUT_OF_BOUNDS",
        absl::StrCat("encoding.start is ", spec.start, ", but must be ",
                     -kMaxStart, " to ", kMaxStart));
  }
  if (fields.embedding_scale && fields.embedding_factor) {
    return Invalid("CONTRADICTORY_FIELDS",
                   "encoding.embedding_scale and encoding.embedding_factor are "
                   "both set; one of them is enough");
  }
  if (spec.embedding_factor && !std::isfinite(*spec.embedding_factor)) {
    return Invalid("NON_FINITE", absl::StrCat("encoding.embedding_factor is ",
                                              *spec.embedding_factor,
                                              ", but must be finite"));
  }
  if (spec.max_positions && *spec.max_positions == 0) {
    return Invalid("MAX_POSITIONS_ZERO",
                   "encoding.max_positions is 0, which allows no position");
  }
  return absl::OkStatus();
}

absl::Status CheckDimension(const EncodingSpec& spec) {
  if (spec.kind == EncodingKind::kSinusoidal &&
      spec.odd_dimension == OddDimension::kReject && spec.d_model % 2 != 0) {
    return Invalid("ODD_D_MODEL",
                   absl::StrCat("d_model is ", spec.d_model,
                                ", which is odd, and profile '", spec.profile,
                                "' with odd_dimension REJECT takes even ones "
                                "only; DROP_COS and ZERO_LAST take both"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view Name(EncodingKind kind) {
  switch (kind) {
    case EncodingKind::kSinusoidal:
      return "SINUSOIDAL";
    case EncodingKind::kLearned:
      return "LEARNED";
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

absl::StatusOr<EncodingSpec> ResolveSpec(
    const SpecFields& fields, const std::optional<InputWidth>& input) {
  absl::StatusOr<EncodingSpec> spec =
      SpecOfProfile(fields.profile.value_or(kDefaultProfile));
  if (!spec.ok()) return spec;
  Override(fields, *spec);
  absl::Status status = CheckKind(fields, spec->kind);
  if (status.ok()) status = ResolveWidth(fields, input, *spec);
  if (status.ok()) status = CheckValues(fields, *spec);
  if (status.ok()) status = CheckDimension(*spec);
  if (!status.ok()) return status;
  return spec;
}

}  // namespace posenc::server
