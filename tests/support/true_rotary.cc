#include "tests/support/true_rotary.h"

#include <mpfr.h>

#include <algorithm>

namespace posenc::testing {
namespace {

using server::EncodingSpec;
using server::FrequencyRule;
using server::FrequencyScaling;

// 90 digits.
class Number {
 public:
  Number(double value = 0) {
    mpfr_init2(value_, 300);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  Number(const Number& other) : Number() { *this = other; }
  Number& operator=(const Number& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Number() { mpfr_clear(value_); }

  template <typename Function, typename... More>
  static Number Of(Function function, const More&... arguments) {
    Number result;
    function(result.value_, arguments.value_..., MPFR_RNDN);
    return result;
  }
  static Number Pi() {
    Number pi;
    mpfr_const_pi(pi.value_, MPFR_RNDN);
    return pi;
  }
  Number Floor() const {
    Number floor;
    mpfr_floor(floor.value_, value_);
    return floor;
  }
  double ToDouble() const { return mpfr_get_d(value_, MPFR_RNDN); }
  friend bool operator<(const Number& a, const Number& b) {
    return mpfr_less_p(a.value_, b.value_) != 0;
  }

 private:
  mpfr_t value_;
};

Number operator+(const Number& a, const Number& b) {
  return Number::Of(mpfr_add, a, b);
}
Number operator-(const Number& a, const Number& b) {
  return Number::Of(mpfr_sub, a, b);
}
Number operator*(const Number& a, const Number& b) {
  return Number::Of(mpfr_mul, a, b);
}
Number operator/(const Number& a, const Number& b) {
  return Number::Of(mpfr_div, a, b);
}
Number Power(const Number& a, const Number& b) {
  return Number::Of(mpfr_pow, a, b);
}
Number Log(const Number& a) { return Number::Of(mpfr_log, a); }

Number Integer(std::uint64_t value) {
  return Number(static_cast<double>(value));
}

// The base that the rule counts with.
Number BaseOf(const EncodingSpec& spec) {
  const FrequencyScaling& s = spec.frequency_scaling;
  const Number r = Integer(spec.rotary_dimension);
  if (s.rule == FrequencyRule::kNtk) {
    return Number(spec.base) * Power(*s.factor, r / (r - 2));
  }
  if (s.rule == FrequencyRule::kDynamicNtk) {
    const Number n = Integer(std::max(*s.context_length, *s.original_context));
    const Number stretch =
        Number(*s.factor) * n / Integer(*s.original_context) - *s.factor + 1;
    return Number(spec.base) * Power(stretch, r / (r - 2));
  }
  return spec.base;
}

Number YarnRamp(const EncodingSpec& spec, std::uint64_t i) {
  const FrequencyScaling& s = spec.frequency_scaling;
  const auto channel = [&](double beta) {
    return Integer(spec.rotary_dimension) *
           Log(Integer(*s.original_context) /
               (Number(2) * Number::Pi() * beta)) /
           (Number(2) * Log(spec.base));
  };
  Number low = channel(*s.beta_fast);
  Number high = channel(*s.beta_slow);
  if (*s.truncate) {
    low = low.Floor();
    high = Number(0) - (Number(0) - high).Floor();
  }
  if (low < Number(0)) low = 0;
  const Number last = Integer(spec.rotary_dimension - 1);
  if (last < high) high = last;
  if ((high - low).ToDouble() == 0) high = high + Number(1) / 1000;
  const Number ramp = (Integer(i) - low) / (high - low);
  if (ramp < Number(0)) return 0;
  return Number(1) < ramp ? Number(1) : ramp;
}

Number Llama3(const FrequencyScaling& s, const Number& w) {
  const Number wavelength = Number(2) * Number::Pi() / w;
  const Number original = Integer(*s.original_context);
  if (wavelength < original / *s.high_frequency_factor) return w;
  if (original / *s.low_frequency_factor < wavelength) return w / *s.factor;
  const Number smooth =
      (original / wavelength - *s.low_frequency_factor) /
      (Number(*s.high_frequency_factor) - *s.low_frequency_factor);
  return (Number(1) - smooth) * w / *s.factor + smooth * w;
}

Number Frequency(const EncodingSpec& spec, std::uint64_t i) {
  const FrequencyScaling& s = spec.frequency_scaling;
  const bool proportional = s.rule == FrequencyRule::kProportional;
  if (i >= spec.rotary_dimension / 2) return 0;
  const Number w =
      Power(BaseOf(spec),
            Number(-2) * Integer(i) /
                Integer(proportional ? spec.d_model : spec.rotary_dimension));
  switch (s.rule) {
    case FrequencyRule::kNone:
    case FrequencyRule::kNtk:
    case FrequencyRule::kDynamicNtk:
      return w;
    case FrequencyRule::kLinear:
    case FrequencyRule::kProportional:
      return w / *s.factor;
    case FrequencyRule::kYarn: {
      const Number ramp = YarnRamp(spec, i);
      return w / *s.factor * ramp + w * (Number(1) - ramp);
    }
    case FrequencyRule::kLlama3:
      return Llama3(s, w);
    case FrequencyRule::kLongrope:
      return w / (*s.context_length > *s.original_context ? s.long_factors[i]
                                                          : s.short_factors[i]);
  }
  return w;
}

Number Attention(const FrequencyScaling& s) {
  if (s.attention_factor) return *s.attention_factor;
  const auto g = [&](double mscale) {
    return Number(mscale) * Log(*s.factor) / 10 + 1;
  };
  if (s.rule == FrequencyRule::kYarn) {
    return s.mscale ? g(*s.mscale) / g(*s.mscale_all_dim) : g(1);
  }
  if (s.rule == FrequencyRule::kLongrope && s.factor.value_or(1) > 1) {
    return Number::Of(
        mpfr_sqrt,
        Log(*s.factor) / Log(Integer(*s.original_context)) + Number(1));
  }
  return 1;
}

TrueValue ToTrueValue(const Number& number) {
  const double hi = number.ToDouble();
  return {hi, (number - hi).ToDouble()};
}

}  // namespace

std::vector<TruePair> TrueRotaryRow(const EncodingSpec& spec, double position) {
  const bool proportional =
      spec.frequency_scaling.rule == FrequencyRule::kProportional;
  const std::uint64_t pairs =
      (proportional ? spec.d_model : spec.rotary_dimension) / 2;
  const Number attention = Attention(spec.frequency_scaling);
  const Number place =
      (Number(position) + Number(static_cast<double>(spec.start))) *
      Number(spec.angle_scale);
  std::vector<TruePair> row;
  for (std::uint64_t i = 0; i < pairs; ++i) {
    const Number angle = place * Frequency(spec, i);
    row.push_back({ToTrueValue(attention * Number::Of(mpfr_cos, angle)),
                   ToTrueValue(attention * Number::Of(mpfr_sin, angle))});
  }
  mpfr_mp_memory_cleanup();
  return row;
}

}  // namespace posenc::testing
