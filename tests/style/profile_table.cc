// Prints the README's table of profiles, from the registry of the server.

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/core/encoding_spec.h"

namespace posenc::server {
namespace {

std::string LayoutText(SinusoidLayout layout) {
  switch (layout) {
    case SinusoidLayout::kInterleaved:
      return "sin, cos, sin, cos …";
    case SinusoidLayout::kSinCos:
      return "sines, then cosines";
    case SinusoidLayout::kCosSin:
      return "cosines, then sines";
  }
  return "";
}

std::string DenominatorText(FrequencyDenominator denominator) {
  switch (denominator) {
    case FrequencyDenominator::kHalf:
      return "d/2";
    case FrequencyDenominator::kHalfFloor:
      return "⌊d/2⌋";
    case FrequencyDenominator::kHalfFloorMinusOne:
      return "⌊d/2⌋ − 1";
    case FrequencyDenominator::kHalfCeil:
      return "⌈d/2⌉";
  }
  return "";
}

std::string OddText(OddDimension odd) {
  switch (odd) {
    case OddDimension::kDropCos:
      return "odd d: one cosine fewer";
    case OddDimension::kZeroLast:
      return "odd d: last channel 0";
    case OddDimension::kReject:
      return "odd d refused";
  }
  return "";
}

std::string AxesText(const std::vector<GridAxis>& axes) {
  const auto append = [](std::string* out, GridAxis axis) {
    constexpr absl::string_view kNames[] = {"t", "h", "w"};
    absl::StrAppend(out, kNames[static_cast<int>(axis)]);
  };
  return absl::StrJoin(axes, " ", append);
}

std::string SplitText(ChannelSplit split) {
  switch (split) {
    case ChannelSplit::kEqual:
      return "equal parts";
    case ChannelSplit::kQuarterTime:
      return "t a quarter, h and w 3/8 each";
    case ChannelSplit::kEvenCeil:
      return "2⌈d/(2·axes)⌉ each, cut to d";
  }
  return "";
}

std::string RuleText(const FrequencyScaling& scaling) {
  if (scaling.rule == FrequencyRule::kNone) return "";
  return absl::StrCat("llama3 scaling: factor ", *scaling.factor,
                      ", original context ", *scaling.original_context,
                      ", low ", *scaling.low_frequency_factor, ", high ",
                      *scaling.high_frequency_factor);
}

void AddGrid(const EncodingSpec& spec, std::vector<std::string>& parts) {
  parts.push_back(
      absl::StrCat("tokens ", AxesText(spec.grid_axes), ", the last fastest"));
  const bool by_axis = spec.channel_blocks == ChannelBlocks::kByAxis;
  parts.push_back(absl::StrCat(
      by_axis ? "channels by axis, " : "channels by function, axes ",
      AxesText(spec.channel_axes), ": ", LayoutText(spec.layout)));
  parts.push_back(SplitText(spec.channel_split));
  if (spec.class_rows != 0) {
    parts.push_back(absl::StrCat(spec.class_rows, " class row of zeros"));
  }
  if (spec.normalize_coordinates) {
    parts.push_back("coordinates over the last, times 2π");
  }
}

void AddScales(const EncodingSpec& spec, std::vector<std::string>& parts) {
  if (spec.embedding_scale == EmbeddingScale::kSqrtDModel) {
    parts.push_back("embeddings × √d");
  }
  if (spec.embedding_scale == EmbeddingScale::kSqrtDModelForTokenIds) {
    parts.push_back("token ids × √d");
  }
  if (spec.encoding_scale == EncodingScale::kInverseSqrtDModel) {
    parts.push_back("encoding × 1/√d");
  }
  if (spec.encoding_scale == EncodingScale::kSqrtTwoOverDModel) {
    parts.push_back("encoding × √(2/d)");
  }
}

void AddPadding(PaddingRows padding, std::vector<std::string>& parts) {
  if (padding == PaddingRows::kZero) parts.push_back("padding gets nothing");
  if (padding == PaddingRows::kBeforeFirst) {
    parts.push_back("padding gets position −1");
  }
  if (padding == PaddingRows::kBeforeOffset) {
    parts.push_back("padding gets position offset − 1, nothing at offset 0");
  }
}

std::string Values(const EncodingSpec& spec) {
  std::vector<std::string> parts;
  switch (spec.kind) {
    case EncodingKind::kSinusoidal:
      parts = {LayoutText(spec.layout),
               absl::StrCat("D = ", DenominatorText(spec.denominator)),
               OddText(spec.odd_dimension)};
      break;
    case EncodingKind::kLearned:
      parts = {"rows of `position_table`"};
      break;
    case EncodingKind::kSinusoidalGrid:
      AddGrid(spec, parts);
      break;
    case EncodingKind::kRotary:
      parts = {spec.rotary_pairing == RotaryPairing::kAdjacent
                   ? "turns channels 2i and 2i + 1"
                   : "turns channels i and i + r/2"};
      break;
    case EncodingKind::kAlibi:
      parts = {"biases of attention scores, a column for each head"};
      break;
    case EncodingKind::kRelativeBuckets:
      parts = {absl::StrCat(spec.buckets, " buckets up to distance ",
                            spec.max_distance,
                            spec.bidirectional ? ", both ways" : "")};
      break;
  }
  if (spec.base != 1e4) parts.push_back(absl::StrCat("base ", spec.base));
  if (spec.start != 0) parts.push_back(absl::StrCat("from ", spec.start));
  AddScales(spec, parts);
  AddPadding(spec.padding_rows, parts);
  const std::string rule = RuleText(spec.frequency_scaling);
  if (!rule.empty()) parts.push_back(rule);
  return absl::StrJoin(parts, "; ");
}

void PrintTable() {
  std::cout << "| profile | equals | checked against | values |\n"
               "|---|---|---|---|\n";
  for (const Profile& profile : Profiles()) {
    const std::string checked =
        profile.checked_version.empty()
            ? "source or paper"
            : absl::StrCat(profile.library, " ", profile.checked_version);
    std::cout << "| `" << profile.name << "` | " << profile.library << " "
              << profile.symbol << " | " << checked << " | "
              << Values(profile.spec) << " |\n";
  }
}

}  // namespace
}  // namespace posenc::server

int main() {
  posenc::server::PrintTable();
  return 0;
}
