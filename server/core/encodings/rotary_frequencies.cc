#include "server/core/encodings/rotary_frequencies.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/core/encodings/real.h"

namespace posenc::server {
namespace {

using Rule = FrequencyRule;

WideReal Integer(std::uint64_t value) {
  return WideReal(static_cast<double>(value));
}

// base^(-2i/dimension), i < count.
std::vector<WideReal> Powers(const WideReal& base, std::uint64_t dimension,
                             std::uint64_t count) {
  const WideReal ratio = Power(base, WideReal(-2) / Integer(dimension));
  std::vector<WideReal> powers(count, WideReal(1));
  for (std::uint64_t i = 1; i < count; ++i) powers[i] = powers[i - 1] * ratio;
  return powers;
}

// base * stretch^(r / (r - 2)).
WideReal StretchedBase(const EncodingSpec& spec, const WideReal& stretch) {
  const std::uint64_t r = spec.rotary_dimension;
  return WideReal(spec.base) * Power(stretch, Integer(r) / Integer(r - 2));
}

// factor * n / L - (factor - 1), n at least L.
WideReal DynamicStretch(const FrequencyScaling& s) {
  const std::uint64_t n = std::max(*s.context_length, *s.original_context);
  return WideReal(*s.factor) * Integer(n) / Integer(*s.original_context) -
         (WideReal(*s.factor) - WideReal(1));
}

WideReal Clamp(const WideReal& x, const WideReal& least, const WideReal& most) {
  if (x < least) return least;
  return most < x ? most : x;
}

// The channel of the frequency that turns `beta` times in the original context:
// r * ln(L / (2π beta)) / (2 ln base).
WideReal ChannelOfTurns(const EncodingSpec& spec, double beta) {
  const FrequencyScaling& s = spec.frequency_scaling;
  const WideReal ratio = Integer(*s.original_context) /
                         (WideReal(2) * WideReal::Pi() * WideReal(beta));
  return Integer(spec.rotary_dimension) * Log(ratio) /
         (WideReal(2) * Log(WideReal(spec.base)));
}

// w_i / factor where the ramp is 1, w_i where it is 0.
void StretchAsYarn(const EncodingSpec& spec, std::vector<WideReal>& w) {
  const FrequencyScaling& s = spec.frequency_scaling;
  WideReal low = ChannelOfTurns(spec, *s.beta_fast);
  WideReal high = ChannelOfTurns(spec, *s.beta_slow);
  if (*s.truncate) {
    mpfr_floor(low.get(), low.get());
    mpfr_ceil(high.get(), high.get());
  }
  const WideReal last = Integer(spec.rotary_dimension - 1);
  if (low < WideReal(0)) low = WideReal(0);
  if (last < high) high = last;
  if (!(low < high) && !(high < low))
    high = high + WideReal(1) / WideReal(1000);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const WideReal ramp =
        Clamp((Integer(i) - low) / (high - low), WideReal(0), WideReal(1));
    w[i] = w[i] / WideReal(*s.factor) * ramp + w[i] * (WideReal(1) - ramp);
  }
}

void StretchAsLlama3(const FrequencyScaling& s, std::vector<WideReal>& w) {
  const WideReal original = Integer(*s.original_context);
  const WideReal low(*s.low_frequency_factor);
  const WideReal high(*s.high_frequency_factor);
  for (WideReal& frequency : w) {
    const WideReal wavelength = WideReal(2) * WideReal::Pi() / frequency;
    if (wavelength < original / high) continue;
    const WideReal stretched = frequency / WideReal(*s.factor);
    if (original / low < wavelength) {
      frequency = stretched;
      continue;
    }
    const WideReal smooth = (original / wavelength - low) / (high - low);
    frequency = (WideReal(1) - smooth) * stretched + smooth * frequency;
  }
}

bool IsLong(const FrequencyScaling& s) {
  return *s.context_length > *s.original_context;
}

std::vector<WideReal> Stretched(const EncodingSpec& spec) {
  const FrequencyScaling& s = spec.frequency_scaling;
  const std::uint64_t r = spec.rotary_dimension;
  const std::uint64_t pairs = r / 2;
  if (s.rule == Rule::kNtk) {
    return Powers(StretchedBase(spec, WideReal(*s.factor)), r, pairs);
  }
  if (s.rule == Rule::kDynamicNtk) {
    return Powers(StretchedBase(spec, DynamicStretch(s)), r, pairs);
  }
  const bool proportional = s.rule == Rule::kProportional;
  std::vector<WideReal> w =
      Powers(WideReal(spec.base), proportional ? spec.d_model : r, pairs);
  if (s.rule == Rule::kLinear || proportional) {
    for (WideReal& frequency : w) frequency = frequency / WideReal(*s.factor);
  }
  if (proportional) w.resize(spec.d_model / 2, WideReal(0));
  if (s.rule == Rule::kYarn) StretchAsYarn(spec, w);
  if (s.rule == Rule::kLlama3) StretchAsLlama3(s, w);
  if (s.rule == Rule::kLongrope) {
    const auto& factors = IsLong(s) ? s.long_factors : s.short_factors;
    for (std::size_t i = 0; i < w.size(); ++i)
      w[i] = w[i] / WideReal(factors[i]);
  }
  return w;
}

// 0.1 * mscale * ln(factor) + 1.
WideReal YarnAttention(double mscale, double factor) {
  return WideReal(1) + WideReal(mscale) * Log(WideReal(factor)) / WideReal(10);
}

std::string Hex(double value) {
  return absl::StrCat(absl::Hex(std::bit_cast<std::uint64_t>(value)));
}

}  // namespace

Frequencies RotaryFrequencies(const EncodingSpec& spec) {
  if (spec.frequency_scaling.rule == Rule::kNone) {
    return MakeFrequencies(spec.angle_scale, spec.base,
                           static_cast<double>(spec.rotary_dimension),
                           spec.rotary_dimension / 2);
  }
  const MpfrCleanup cleanup;
  const WideReal per_turn = WideReal(1) / (WideReal(2) * WideReal::Pi());
  Frequencies frequencies;
  WideReal scratch;
  for (const WideReal& stretched : Stretched(spec)) {
    const WideReal w = stretched * WideReal(spec.angle_scale);
    frequencies.radians.push_back(w.ToDouble());
    frequencies.turns.push_back(ToDoubleDouble(w * per_turn, scratch));
  }
  return frequencies;
}

double RotaryAttentionFactor(const EncodingSpec& spec) {
  const FrequencyScaling& s = spec.frequency_scaling;
  if (s.attention_factor) return *s.attention_factor;
  const MpfrCleanup cleanup;
  if (s.rule == Rule::kYarn) {
    const WideReal attention = YarnAttention(s.mscale.value_or(1), *s.factor);
    if (!s.mscale_all_dim) return attention.ToDouble();
    return (attention / YarnAttention(*s.mscale_all_dim, *s.factor)).ToDouble();
  }
  if (s.rule == Rule::kLongrope && s.factor.value_or(1) > 1) {
    const WideReal square = WideReal(1) + Log(WideReal(*s.factor)) /
                                              Log(Integer(*s.original_context));
    WideReal root;
    mpfr_sqrt(root.get(), square.get(), MPFR_RNDN);
    return root.ToDouble();
  }
  return 1;
}

std::string FrequencyRuleKey(const EncodingSpec& spec) {
  const FrequencyScaling& s = spec.frequency_scaling;
  const bool as_it_is = s.rule == Rule::kNone ||
                        (s.rule != Rule::kLongrope &&
                         s.rule != Rule::kProportional && *s.factor == 1) ||
                        (s.rule == Rule::kDynamicNtk && !IsLong(s));
  if (as_it_is) return "";
  std::string key = absl::StrCat(" rule=", static_cast<int>(s.rule));
  if (s.rule == Rule::kLongrope) {
    for (const double factor : IsLong(s) ? s.long_factors : s.short_factors) {
      absl::StrAppend(&key, ",", Hex(factor));
    }
    return key;
  }
  absl::StrAppend(&key, ",", Hex(*s.factor));
  if (s.rule == Rule::kProportional) absl::StrAppend(&key, ",", spec.d_model);
  if (s.original_context) absl::StrAppend(&key, ",", *s.original_context);
  if (s.rule == Rule::kDynamicNtk)
    absl::StrAppend(&key, ",", *s.context_length);
  if (s.rule == Rule::kYarn) {
    absl::StrAppend(&key, ",", Hex(*s.beta_fast), ",", Hex(*s.beta_slow), ",",
                    static_cast<int>(*s.truncate));
  }
  if (s.rule == Rule::kLlama3) {
    absl::StrAppend(&key, ",", Hex(*s.low_frequency_factor), ",",
                    Hex(*s.high_frequency_factor));
  }
  return key;
}

}  // namespace posenc::server
