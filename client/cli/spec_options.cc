#include "client/cli/spec_options.h"

#include <fstream>

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "client/cli/family_options.h"
#include "client/cli/option_values.h"

namespace posenc::cli {
namespace {

constexpr std::size_t kMaxSpecBytes = 1 << 20;
constexpr char kGroup[] = "Encoding";

constexpr Choice<posenc::EncodingKind> kKinds[] = {
    {"sinusoidal", posenc::EncodingKind::kSinusoidal},
    {"learned", posenc::EncodingKind::kLearned},
    {"sinusoidal-grid", posenc::EncodingKind::kSinusoidalGrid},
    {"rotary", posenc::EncodingKind::kRotary},
    {"alibi", posenc::EncodingKind::kAlibi},
    {"relative-buckets", posenc::EncodingKind::kRelativeBuckets}};
constexpr Choice<posenc::SinusoidLayout> kLayouts[] = {
    {"interleaved", posenc::SinusoidLayout::kInterleaved},
    {"sin-cos", posenc::SinusoidLayout::kSinCos},
    {"cos-sin", posenc::SinusoidLayout::kCosSin}};
constexpr Choice<posenc::FrequencyDenominator> kDenominators[] = {
    {"half", posenc::FrequencyDenominator::kHalf},
    {"half-floor", posenc::FrequencyDenominator::kHalfFloor},
    {"half-floor-minus-one", posenc::FrequencyDenominator::kHalfFloorMinusOne},
    {"half-ceil", posenc::FrequencyDenominator::kHalfCeil}};
constexpr Choice<posenc::OddDimension> kOddDimensions[] = {
    {"drop-cos", posenc::OddDimension::kDropCos},
    {"zero-last", posenc::OddDimension::kZeroLast},
    {"reject", posenc::OddDimension::kReject}};
constexpr Choice<posenc::EmbeddingScale> kScales[] = {
    {"one", posenc::EmbeddingScale::kOne},
    {"sqrt-d-model", posenc::EmbeddingScale::kSqrtDModel},
    {"sqrt-d-model-for-token-ids",
     posenc::EmbeddingScale::kSqrtDModelForTokenIds}};
constexpr Choice<posenc::PaddingRows> kPaddingRows[] = {
    {"encode", posenc::PaddingRows::kEncode},
    {"zero", posenc::PaddingRows::kZero},
    {"before-first", posenc::PaddingRows::kBeforeFirst},
    {"before-offset", posenc::PaddingRows::kBeforeOffset}};
constexpr Choice<posenc::EncodingScale> kEncodingScales[] = {
    {"unscaled", posenc::EncodingScale::kUnscaled},
    {"inverse-sqrt-d-model", posenc::EncodingScale::kInverseSqrtDModel},
    {"sqrt-two-over-d-model", posenc::EncodingScale::kSqrtTwoOverDModel}};
constexpr Choice<posenc::AnglePrecision> kPrecisions[] = {
    {"exact", posenc::AnglePrecision::kExact},
    {"float32-exp", posenc::AnglePrecision::kFloat32Exp},
    {"float32-pow", posenc::AnglePrecision::kFloat32Pow}};
constexpr Choice<posenc::TableOverflow> kOverflows[] = {
    {"error", posenc::TableOverflow::kError},
    {"clamp", posenc::TableOverflow::kClamp},
    {"zero-row", posenc::TableOverflow::kZeroRow}};

absl::StatusOr<std::string> ReadSpecFile(const std::string& what,
                                         const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxSpecBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  // Opening a directory succeeds; only reading it fails, without a byte.
  if (file.gcount() == 0) {
    return LocalError(absl::StrCat(what, ": cannot read '", path, "'"));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxSpecBytes) {
    return LocalError(
        absl::StrCat(what, ": '", path, "' is over ", kMaxSpecBytes, " bytes"));
  }
  return text;
}

// Calls `visit` with the same field of both specs, for every field.
template <typename A, typename B, typename Visit>
void ForEachField(A& a, B& b, Visit visit) {
  visit(a.profile, b.profile);
  visit(a.d_model, b.d_model);
  visit(a.kind, b.kind);
  visit(a.base, b.base);
  visit(a.layout, b.layout);
  visit(a.denominator, b.denominator);
  visit(a.odd_dimension, b.odd_dimension);
  visit(a.start, b.start);
  visit(a.embedding_scale, b.embedding_scale);
  visit(a.embedding_factor, b.embedding_factor);
  visit(a.padding_rows, b.padding_rows);
  visit(a.max_positions, b.max_positions);
  visit(a.position_table, b.position_table);
  visit(a.angle_scale, b.angle_scale);
  visit(a.encoding_scale, b.encoding_scale);
  visit(a.encoding_factor, b.encoding_factor);
  visit(a.angle_precision, b.angle_precision);
  visit(a.table_overflow, b.table_overflow);
  visit(a.grid_axes, b.grid_axes);
  visit(a.grid_sizes, b.grid_sizes);
  visit(a.grid_base_sizes, b.grid_base_sizes);
  visit(a.grid_interpolations, b.grid_interpolations);
  visit(a.channel_axes, b.channel_axes);
  visit(a.channel_split, b.channel_split);
  visit(a.channel_blocks, b.channel_blocks);
  visit(a.class_rows, b.class_rows);
  visit(a.normalize_coordinates, b.normalize_coordinates);
  visit(a.rotary_dimension, b.rotary_dimension);
  visit(a.rotary_pairing, b.rotary_pairing);
  visit(a.frequency_scaling, b.frequency_scaling);
  visit(a.buckets, b.buckets);
  visit(a.max_distance, b.max_distance);
  visit(a.bidirectional, b.bidirectional);
}

template <typename T>
bool IsGiven(const std::optional<T>& field) {
  return field.has_value();
}
template <typename T>
bool IsGiven(const std::vector<T>& list) {
  return !list.empty();
}

}  // namespace

absl::StatusOr<posenc::EncodingSpec> ParseSpec(const std::string& what,
                                               const std::string& value) {
  absl::StatusOr<std::string> json = value;
  if (!value.empty() && value.front() == '@') {
    json = ReadSpecFile(what, value.substr(1));
    if (!json.ok()) return json.status();
  }
  absl::StatusOr<posenc::EncodingSpec> spec =
      posenc::EncodingSpecFromJson(*json);
  if (!spec.ok()) {
    return LocalError(absl::StrCat(what, ": ", spec.status().message()));
  }
  return spec;
}

void SpecOptions::AddTo(CLI::App& app) {
  app.add_option("--profile", flags_.profile,
                 "A named start (default torchlingo); `posenc encoding ls` "
                 "lists them")
      ->type_name("NAME")
      ->group(kGroup);
  AddInteger(app, "--d-model", &flags_.d_model, "Channels of a row")
      ->group(kGroup);
  AddChoice(app, "--kind", kKinds, &flags_.kind, "Family")->group(kGroup);
  AddNumber(app, "--base", &flags_.base, "Base of the frequencies")
      ->group(kGroup);
  AddChoice(app, "--layout", kLayouts, &flags_.layout, "Order of the channels")
      ->group(kGroup);
  AddChoice(app, "--denominator", kDenominators, &flags_.denominator,
            "Denominator of the exponent")
      ->group(kGroup);
  AddChoice(app, "--odd-dimension", kOddDimensions, &flags_.odd_dimension,
            "What an odd d_model means")
      ->group(kGroup);
  AddNumber(app, "--angle-scale", &flags_.angle_scale,
            "What every angle is multiplied by; 1/f interpolates by f")
      ->group(kGroup);
  AddInteger(app, "--start", &flags_.start, "Added to every position")
      ->group(kGroup);
  AddRuleOrNumber(app, "--embedding-scale", kScales, &flags_.embedding_scale,
                  &flags_.embedding_factor, "What embeddings are multiplied by")
      ->group(kGroup);
  AddRuleOrNumber(app, "--encoding-scale", kEncodingScales,
                  &flags_.encoding_scale, &flags_.encoding_factor,
                  "What the encoding is multiplied by")
      ->group(kGroup);
  AddChoice(app, "--angle-precision", kPrecisions, &flags_.angle_precision,
            "Exact, or as libraries that work in float32 do")
      ->group(kGroup);
  AddChoice(app, "--padding-rows", kPaddingRows, &flags_.padding_rows,
            "What is added to rows of padding")
      ->group(kGroup);
  AddInteger(app, "--max-positions", &flags_.max_positions,
             "Refuse positions from here on")
      ->group(kGroup);
  app.add_option("--position-table", flags_.position_table,
                 "Learned: the embedding table of the rows")
      ->type_name("NAME")
      ->group(kGroup);
  AddChoice(app, "--table-overflow", kOverflows, &flags_.table_overflow,
            "What a position outside that table means")
      ->group(kGroup);
  AddFamilyOptions(app, flags_);
  app.add_option("--spec", json_,
                 "All of these as the proto3 JSON form of EncodingSpec; an "
                 "option beside it goes before its field")
      ->type_name("JSON|@FILE")
      ->group(kGroup);
}

absl::StatusOr<posenc::EncodingSpec> SpecOptions::Spec() const {
  if (json_.empty()) return flags_;
  absl::StatusOr<posenc::EncodingSpec> spec = ParseSpec("--spec", json_);
  if (!spec.ok()) return spec;
  return Over(*std::move(spec));
}

posenc::EncodingSpec SpecOptions::Over(posenc::EncodingSpec spec) const {
  // The two ways to give a scale exclude each other.
  if (flags_.embedding_scale) spec.embedding_factor.reset();
  if (flags_.embedding_factor) spec.embedding_scale.reset();
  if (flags_.encoding_scale) spec.encoding_factor.reset();
  if (flags_.encoding_factor) spec.encoding_scale.reset();
  ForEachField(spec, flags_, [](auto& field, const auto& flag) {
    if (IsGiven(flag)) field = flag;
  });
  return spec;
}

bool SpecOptions::given() const {
  bool any = !json_.empty();
  ForEachField(flags_, flags_, [&any](const auto& flag, const auto&) {
    any = any || IsGiven(flag);
  });
  return any;
}

}  // namespace posenc::cli
