#include "client/cli/family_options.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/option_values.h"

namespace posenc::cli {
namespace {

constexpr Choice<posenc::GridAxis> kAxes[] = {
    {"time", posenc::GridAxis::kTime},
    {"height", posenc::GridAxis::kHeight},
    {"width", posenc::GridAxis::kWidth}};
constexpr Choice<posenc::ChannelSplit> kSplits[] = {
    {"equal-split", posenc::ChannelSplit::kEqual},
    {"quarter-time", posenc::ChannelSplit::kQuarterTime},
    {"even-ceil", posenc::ChannelSplit::kEvenCeil}};
constexpr Choice<posenc::ChannelBlocks> kBlocks[] = {
    {"by-axis", posenc::ChannelBlocks::kByAxis},
    {"by-function", posenc::ChannelBlocks::kByFunction}};
constexpr Choice<posenc::RotaryPairing> kPairings[] = {
    {"adjacent", posenc::RotaryPairing::kAdjacent},
    {"halves", posenc::RotaryPairing::kHalves}};
constexpr Choice<posenc::FrequencyRule> kRules[] = {
    {"none", posenc::FrequencyRule::kNone},
    {"linear", posenc::FrequencyRule::kLinear},
    {"ntk", posenc::FrequencyRule::kNtk},
    {"dynamic-ntk", posenc::FrequencyRule::kDynamicNtk},
    {"yarn", posenc::FrequencyRule::kYarn},
    {"llama3", posenc::FrequencyRule::kLlama3},
    {"longrope", posenc::FrequencyRule::kLongrope},
    {"proportional", posenc::FrequencyRule::kProportional}};

constexpr char kScalingTakes[] = "RULE[,FIELD=VALUE]…";

// "14x14x3"; an empty list for what is no such thing.
std::vector<std::uint32_t> ParseSizes(const std::string& text) {
  std::vector<std::uint32_t> sizes;
  for (const absl::string_view part : absl::StrSplit(text, 'x')) {
    std::uint32_t size = 0;
    if (!absl::SimpleAtoi(part, &size)) return {};
    sizes.push_back(size);
  }
  return sizes;
}

void SetSizes(const std::string& text, posenc::EncodingSpec& spec) {
  spec.grid_sizes = ParseSizes(text);
  if (spec.grid_sizes.empty()) {
    throw CLI::ValidationError(absl::StrCat(
        "--grid takes sizes such as 14x14 or 8x14x14, not '", text, "'"));
  }
}

[[noreturn]] void RefuseScaling(absl::string_view part) {
  throw CLI::ValidationError(absl::StrCat(
      "--frequency-scaling takes ", ChoiceNames(kRules),
      ", then fields such as factor=4 with commas between, not '", part, "'"));
}

std::vector<double> ParseFactors(absl::string_view part,
                                 absl::string_view value) {
  std::vector<double> factors;
  for (const absl::string_view one : absl::StrSplit(value, ':')) {
    double factor = 0;
    if (!absl::SimpleAtod(one, &factor)) RefuseScaling(part);
    factors.push_back(factor);
  }
  return factors;
}

// Sets the field that "factor=4" names.
void SetScalingField(absl::string_view part,
                     posenc::FrequencyScaling& scaling) {
  const std::pair<absl::string_view, absl::string_view> both =
      absl::StrSplit(part, absl::MaxSplits('=', 1));
  const std::string name = NormalWord(both.first);
  const auto number = [&](std::optional<double>& field) {
    double value = 0;
    if (!absl::SimpleAtod(both.second, &value)) RefuseScaling(part);
    field = value;
  };
  const auto integer = [&](std::optional<std::uint64_t>& field) {
    std::uint64_t value = 0;
    if (!absl::SimpleAtoi(both.second, &value)) RefuseScaling(part);
    field = value;
  };
  if (name == "factor") return number(scaling.factor);
  if (name == "original-context") return integer(scaling.original_context);
  if (name == "context-length") return integer(scaling.context_length);
  if (name == "beta-fast") return number(scaling.beta_fast);
  if (name == "beta-slow") return number(scaling.beta_slow);
  if (name == "mscale") return number(scaling.mscale);
  if (name == "mscale-all-dim") return number(scaling.mscale_all_dim);
  if (name == "attention-factor") return number(scaling.attention_factor);
  if (name == "low-frequency-factor") {
    return number(scaling.low_frequency_factor);
  }
  if (name == "high-frequency-factor") {
    return number(scaling.high_frequency_factor);
  }
  if (name == "truncate" && both.second == "true") {
    scaling.truncate = true;
  } else if (name == "truncate" && both.second == "false") {
    scaling.truncate = false;
  } else if (name == "short-factors") {
    scaling.short_factors = ParseFactors(part, both.second);
  } else if (name == "long-factors") {
    scaling.long_factors = ParseFactors(part, both.second);
  } else {
    RefuseScaling(part);
  }
}

void SetScaling(const std::string& text, posenc::EncodingSpec& spec) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  const std::optional<posenc::FrequencyRule> rule =
      FindChoice(kRules, parts.front());
  if (!rule) RefuseScaling(parts.front());
  posenc::FrequencyScaling scaling;
  scaling.rule = *rule;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    SetScalingField(parts[i], scaling);
  }
  spec.frequency_scaling = std::move(scaling);
}

void AddGridOptions(CLI::App& app, posenc::EncodingSpec& spec) {
  constexpr char kGroup[] = "Encoding: grids";
  app.add_option_function<std::string>(
         "--grid", [&spec](const std::string& text) { SetSizes(text, spec); },
         "Sizes of the axes, slowest first")
      ->type_name("NxN[xN]")
      ->group(kGroup);
  AddChoices(app, "--grid-axes", kAxes, &spec.grid_axes,
             "The axes, slowest first")
      ->group(kGroup);
  AddNumbers(app, "--grid-base-sizes", &spec.grid_base_sizes,
             "Sizes to stretch the grid to")
      ->group(kGroup);
  AddNumbers(app, "--grid-interpolations", &spec.grid_interpolations,
             "What coordinates are divided by")
      ->group(kGroup);
  AddChoices(app, "--channel-axes", kAxes, &spec.channel_axes,
             "The axes in the order of their channels")
      ->group(kGroup);
  AddChoice(app, "--channel-split", kSplits, &spec.channel_split,
            "How many channels each axis gets")
      ->group(kGroup);
  AddChoice(app, "--channel-blocks", kBlocks, &spec.channel_blocks,
            "How the axes' channels stand")
      ->group(kGroup);
  AddInteger(app, "--class-rows", &spec.class_rows,
             "Rows of zeros before the grid's")
      ->group(kGroup);
  AddBoolean(app, "--normalize-coordinates", &spec.normalize_coordinates,
             "Coordinates over the last one of their axis, times 2π")
      ->group(kGroup);
}

void AddRotaryOptions(CLI::App& app, posenc::EncodingSpec& spec) {
  constexpr char kGroup[] = "Encoding: rotary";
  AddInteger(app, "--rotary-dimension", &spec.rotary_dimension,
             "Channels of a head that are turned (default: all)")
      ->group(kGroup);
  AddChoice(app, "--rotary-pairing", kPairings, &spec.rotary_pairing,
            "Which channels make a pair")
      ->group(kGroup);
  app.add_option_function<std::string>(
         "--frequency-scaling",
         [&spec](const std::string& text) { SetScaling(text, spec); },
         "How frequencies are stretched, e.g. "
         "yarn,factor=4,original_context=2048 or "
         "longrope,original_context=4096,short_factors=1:1.5,long_factors=1:32")
      ->type_name(kScalingTakes)
      ->group(kGroup);
}

void AddBucketOptions(CLI::App& app, posenc::EncodingSpec& spec) {
  constexpr char kGroup[] = "Encoding: relative buckets";
  AddInteger(app, "--buckets", &spec.buckets, "Number of buckets")
      ->group(kGroup);
  AddInteger(app, "--max-distance", &spec.max_distance,
             "The distance from which all share a bucket")
      ->group(kGroup);
  AddBoolean(app, "--bidirectional", &spec.bidirectional,
             "Whether keys after the query have buckets of their own")
      ->group(kGroup);
}

}  // namespace

void AddFamilyOptions(CLI::App& app, posenc::EncodingSpec& spec) {
  AddGridOptions(app, spec);
  AddRotaryOptions(app, spec);
  AddBucketOptions(app, spec);
}

}  // namespace posenc::cli
