#include "server/core/frequency_scaling.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

using Rule = FrequencyRule;

absl::string_view NameOf(Rule rule) {
  switch (rule) {
    case Rule::kNone:
      return "NO_RULE";
    case Rule::kLinear:
      return "LINEAR";
    case Rule::kNtk:
      return "NTK";
    case Rule::kDynamicNtk:
      return "DYNAMIC_NTK";
    case Rule::kYarn:
      return "YARN";
    case Rule::kLlama3:
      return "LLAMA3";
    case Rule::kLongrope:
      return "LONGROPE";
    case Rule::kProportional:
      return "PROPORTIONAL";
  }
  return "unknown";
}

absl::Status Refuse(absl::string_view field, absl::string_view complaint) {
  return Invalid(
      "FREQUENCY_SCALING",
      absl::StrCat("encoding.frequency_scaling.", field, " ", complaint));
}

// Which rules take a field, and which of those need it.
struct FieldUse {
  absl::string_view field;
  bool given;
  std::initializer_list<Rule> takers;
  bool needed;
};

absl::Status CheckUse(const FrequencyScaling& s, const FieldUse& use) {
  const bool takes = std::find(use.takers.begin(), use.takers.end(), s.rule) !=
                     use.takers.end();
  if (use.given && !takes) {
    return Refuse(use.field, absl::StrCat("is given, but rule ", NameOf(s.rule),
                                          " does not use it"));
  }
  if (!use.given && takes && use.needed) {
    return Refuse(use.field, absl::StrCat("is not given, but rule ",
                                          NameOf(s.rule), " needs it"));
  }
  return absl::OkStatus();
}

absl::Status CheckUses(const FrequencyScaling& s) {
  static constexpr auto kFactored = {Rule::kLinear,     Rule::kNtk,
                                     Rule::kDynamicNtk, Rule::kYarn,
                                     Rule::kLlama3,     Rule::kProportional};
  static constexpr auto kOriginal = {Rule::kDynamicNtk, Rule::kYarn,
                                     Rule::kLlama3, Rule::kLongrope};
  static constexpr auto kContext = {Rule::kDynamicNtk, Rule::kLongrope};
  static constexpr auto kAttention = {Rule::kYarn, Rule::kLongrope};
  static constexpr auto kYarn = {Rule::kYarn};
  static constexpr auto kLlama3 = {Rule::kLlama3};
  static constexpr auto kLongrope = {Rule::kLongrope};
  absl::Status status;
  const auto check = [&](absl::string_view field, bool given,
                         std::initializer_list<Rule> takers, bool needed) {
    status.Update(CheckUse(s, {field, given, takers, needed}));
  };
  // LONGROPE takes a factor, too, but does not need one.
  if (s.rule != Rule::kLongrope) {
    check("factor", s.factor.has_value(), kFactored, true);
  }
  check("original_context", s.original_context.has_value(), kOriginal, true);
  check("context_length", s.context_length.has_value(), kContext, false);
  check("beta_fast", s.beta_fast.has_value(), kYarn, false);
  check("beta_slow", s.beta_slow.has_value(), kYarn, false);
  check("truncate", s.truncate.has_value(), kYarn, false);
  check("mscale", s.mscale.has_value(), kYarn, s.mscale_all_dim.has_value());
  check("mscale_all_dim", s.mscale_all_dim.has_value(), kYarn,
        s.mscale.has_value());
  check("attention_factor", s.attention_factor.has_value(), kAttention, false);
  check("low_frequency_factor", s.low_frequency_factor.has_value(), kLlama3,
        true);
  check("high_frequency_factor", s.high_frequency_factor.has_value(), kLlama3,
        true);
  check("short_factors", !s.short_factors.empty(), kLongrope, true);
  check("long_factors", !s.long_factors.empty(), kLongrope, true);
  return status;
}

template <typename T>
absl::Status CheckBetween(absl::string_view field, T value, T least, T most) {
  if (value >= least && value <= most) return absl::OkStatus();  // not NaN
  return Refuse(
      field, absl::StrCat("is ", value, ", but must be ", least, " to ", most));
}

absl::Status CheckFactor(absl::string_view field,
                         const std::optional<double>& value,
                         double least = kMinScalingFactor) {
  if (!value) return absl::OkStatus();
  return CheckBetween(field, *value, least, kMaxScalingFactor);
}

absl::Status CheckFactorList(absl::string_view field,
                             const std::vector<double>& factors,
                             std::uint64_t pairs) {
  if (factors.empty()) return absl::OkStatus();
  if (factors.size() != pairs) {
    return Refuse(
        field, absl::StrCat("has ", factors.size(),
                            " entries, but rotary_dimension / 2 is ", pairs));
  }
  absl::Status status;
  for (const double factor : factors) {
    status.Update(
        CheckBetween(field, factor, kMinScalingFactor, kMaxScalingFactor));
  }
  return status;
}

absl::Status CheckNumbers(const FrequencyScaling& s, std::uint64_t pairs) {
  const bool only_stretches = s.rule == Rule::kDynamicNtk ||
                              s.rule == Rule::kYarn || s.rule == Rule::kLlama3;
  absl::Status status =
      CheckFactor("factor", s.factor, only_stretches ? 1 : kMinScalingFactor);
  const auto context = [&](absl::string_view field,
                           const std::optional<std::uint64_t>& value) {
    if (!value) return;
    // The logarithm of LONGROPE's is divided by.
    const std::uint64_t least = s.rule == Rule::kLongrope ? 2 : 1;
    status.Update(CheckBetween(field, *value, least, kMaxContext));
  };
  context("original_context", s.original_context);
  context("context_length", s.context_length);
  status.Update(CheckFactor("beta_slow", s.beta_slow));
  status.Update(CheckFactor("beta_fast", s.beta_fast));
  status.Update(CheckFactor("mscale", s.mscale));
  status.Update(CheckFactor("mscale_all_dim", s.mscale_all_dim));
  status.Update(CheckFactor("attention_factor", s.attention_factor));
  status.Update(CheckFactor("low_frequency_factor", s.low_frequency_factor));
  status.Update(CheckFactor("high_frequency_factor", s.high_frequency_factor));
  status.Update(CheckFactorList("short_factors", s.short_factors, pairs));
  status.Update(CheckFactorList("long_factors", s.long_factors, pairs));
  return status;
}

void FillDefaults(FrequencyScaling& s) {
  if (s.rule == Rule::kDynamicNtk || s.rule == Rule::kLongrope) {
    s.context_length = s.context_length.value_or(*s.original_context);
  }
  if (s.rule == Rule::kYarn) {
    s.beta_fast = s.beta_fast.value_or(32);
    s.beta_slow = s.beta_slow.value_or(1);
    s.truncate = s.truncate.value_or(true);
  }
}

// What makes a rule divide by zero, and ramps that run backwards.
absl::Status CheckTogether(const EncodingSpec& spec) {
  const FrequencyScaling& s = spec.frequency_scaling;
  if ((s.rule == Rule::kNtk || s.rule == Rule::kDynamicNtk) &&
      spec.rotary_dimension < 4) {
    return Refuse("rule", absl::StrCat("is ", NameOf(s.rule),
                                       ", which needs a rotary_dimension of 4 "
                                       "or more, but that is ",
                                       spec.rotary_dimension));
  }
  if (s.rule == Rule::kYarn && spec.base <= 1) {
    return Refuse("rule", absl::StrCat("is YARN, which needs a base above 1, "
                                       "but that is ",
                                       spec.base));
  }
  if (s.rule == Rule::kYarn && *s.beta_slow > *s.beta_fast) {
    return Refuse("beta_slow", absl::StrCat("is ", *s.beta_slow,
                                            ", but must be at most "
                                            "beta_fast, which is ",
                                            *s.beta_fast));
  }
  if (s.rule == Rule::kLlama3 &&
      *s.low_frequency_factor >= *s.high_frequency_factor) {
    return Refuse("low_frequency_factor",
                  absl::StrCat("is ", *s.low_frequency_factor,
                               ", but must be below high_frequency_factor, "
                               "which is ",
                               *s.high_frequency_factor));
  }
  return absl::OkStatus();
}

// The largest frequency, roughly.
double LargestFrequency(const EncodingSpec& spec) {
  const FrequencyScaling& s = spec.frequency_scaling;
  const auto r = static_cast<double>(spec.rotary_dimension);
  double base = spec.base;
  double divisor = 1;
  if (s.rule == Rule::kNtk) base *= std::pow(*s.factor, r / (r - 2));
  if (s.rule == Rule::kLinear || s.rule == Rule::kProportional) {
    divisor = *s.factor;
  }
  if (s.rule == Rule::kLongrope) {
    divisor = std::min(
        *std::min_element(s.short_factors.begin(), s.short_factors.end()),
        *std::min_element(s.long_factors.begin(), s.long_factors.end()));
  }
  const double largest = std::max(1.0, std::pow(base, 2 / r - 1));
  return spec.angle_scale * largest / divisor;
}

}  // namespace

absl::Status CompleteScaling(EncodingSpec& spec) {
  FrequencyScaling& s = spec.frequency_scaling;
  absl::Status status = CheckUses(s);
  if (status.ok()) status = CheckNumbers(s, spec.rotary_dimension / 2);
  if (!status.ok()) return status;
  FillDefaults(s);
  status = CheckTogether(spec);
  if (!status.ok()) return status;
  const double largest = LargestFrequency(spec);
  if (largest <= kMaxAngleScale) return absl::OkStatus();
  return Refuse(
      "rule",
      absl::StrCat("is ", NameOf(s.rule), " and makes a frequency of ", largest,
                   " radians a position, but at most ", kMaxAngleScale));
}

}  // namespace posenc::server
