#include "client/cli/spec_options.h"

#include <cmath>
#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "client/cli/option_values.h"

namespace posenc::cli {
namespace {

constexpr std::size_t kMaxSpecBytes = 1 << 20;
constexpr char kGroup[] = "Encoding";

constexpr Choice<posenc::EncodingKind> kKinds[] = {
    {"sinusoidal", posenc::EncodingKind::kSinusoidal},
    {"learned", posenc::EncodingKind::kLearned}};
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
    {"zero", posenc::PaddingRows::kZero}};

absl::StatusOr<std::string> ReadSpecFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxSpecBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  // Opening a directory succeeds; only reading it fails, without a byte.
  if (file.gcount() == 0) {
    return LocalError(absl::StrCat("--spec: cannot read '", path, "'"));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxSpecBytes) {
    return LocalError(
        absl::StrCat("--spec: '", path, "' is over ", kMaxSpecBytes, " bytes"));
  }
  return text;
}

absl::StatusOr<posenc::EncodingSpec> ParseSpec(const std::string& value) {
  absl::StatusOr<std::string> json = value;
  if (!value.empty() && value.front() == '@') {
    json = ReadSpecFile(value.substr(1));
    if (!json.ok()) return json.status();
  }
  absl::StatusOr<posenc::EncodingSpec> spec =
      posenc::EncodingSpecFromJson(*json);
  if (!spec.ok()) {
    return LocalError(absl::StrCat("--spec: ", spec.status().message()));
  }
  return spec;
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
}

}  // namespace

void SpecOptions::AddTo(CLI::App& app) {
  app.add_option("--profile", flags_.profile,
                 "A named start: torchlingo (default), ctrl, diffusers, "
                 "distilbert, fairseq, learned, m2m100, marian, musicgen, "
                 "positional-encodings-1d, pytorch, tensor2tensor, whisper, "
                 "xglm, xlm")
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
  AddScale(app);
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
  app.add_option("--spec", json_,
                 "All of these as the proto3 JSON form of EncodingSpec; an "
                 "option beside it goes before its field")
      ->type_name("JSON|@FILE")
      ->group(kGroup);
}

void SpecOptions::AddScale(CLI::App& app) {
  static constexpr char kTakes[] =
      "one|sqrt-d-model|sqrt-d-model-for-token-ids|NUMBER";
  app.add_option_function<std::string>(
         "--embedding-scale",
         [this](const std::string& text) {
           for (const auto& [name, scale] : kScales) {
             if (name == NormalWord(text)) flags_.embedding_scale = scale;
           }
           if (flags_.embedding_scale.has_value()) return;
           double factor = 0;
           if (!absl::SimpleAtod(text, &factor) || !std::isfinite(factor)) {
             throw CLI::ValidationError(absl::StrCat(
                 "--embedding-scale takes ", kTakes, ", not '", text, "'"));
           }
           flags_.embedding_factor = factor;
         },
         "What embeddings are multiplied by")
      ->type_name(kTakes)
      ->group(kGroup);
}

absl::StatusOr<posenc::EncodingSpec> SpecOptions::Spec() const {
  if (json_.empty()) return flags_;
  absl::StatusOr<posenc::EncodingSpec> spec = ParseSpec(json_);
  if (!spec.ok()) return spec;
  // The two ways to give a scale exclude each other.
  if (flags_.embedding_scale) spec->embedding_factor.reset();
  if (flags_.embedding_factor) spec->embedding_scale.reset();
  ForEachField(*spec, flags_, [](auto& field, const auto& flag) {
    if (flag.has_value()) field = flag;
  });
  return spec;
}

bool SpecOptions::given() const {
  bool any = !json_.empty();
  ForEachField(flags_, flags_, [&any](const auto& flag, const auto&) {
    any = any || flag.has_value();
  });
  return any;
}

}  // namespace posenc::cli
