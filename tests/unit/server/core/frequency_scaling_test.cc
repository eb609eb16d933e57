#include "server/core/frequency_scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

using ::testing::HasSubstr;
using Rule = FrequencyRule;

absl::StatusOr<EncodingSpec> Resolve(const FrequencyScaling& scaling,
                                     std::uint64_t d_model = 8,
                                     double base = 1e4) {
  return ResolveSpec({.profile = "llama",
                      .d_model = d_model,
                      .base = base,
                      .frequency_scaling = scaling},
                     std::nullopt);
}

void ExpectRefusal(const FrequencyScaling& scaling, const std::string& message,
                   std::uint64_t d_model = 8, double base = 1e4) {
  const auto spec = Resolve(scaling, d_model, base);
  ASSERT_FALSE(spec.ok()) << message;
  EXPECT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(spec.status()), "FREQUENCY_SCALING");
  EXPECT_THAT(std::string(spec.status().message()),
              HasSubstr("encoding.frequency_scaling." + message));
}

FrequencyScaling Yarn() {
  return {.rule = Rule::kYarn, .factor = 4, .original_context = 2048};
}
FrequencyScaling Llama3() {
  return {.rule = Rule::kLlama3,
          .factor = 8,
          .original_context = 8192,
          .low_frequency_factor = 1,
          .high_frequency_factor = 4};
}
FrequencyScaling Longrope() {
  return {.rule = Rule::kLongrope,
          .original_context = 4096,
          .short_factors = {1, 1, 1, 1},
          .long_factors = {2, 2, 2, 2}};
}

TEST(FrequencyScaling, DefaultsAreFilledIn) {
  const auto yarn = Resolve(Yarn());
  ASSERT_TRUE(yarn.ok()) << yarn.status();
  EXPECT_EQ(yarn->frequency_scaling.beta_fast, 32);
  EXPECT_EQ(yarn->frequency_scaling.beta_slow, 1);
  EXPECT_EQ(yarn->frequency_scaling.truncate, true);
  const auto longrope = Resolve(Longrope());
  ASSERT_TRUE(longrope.ok()) << longrope.status();
  EXPECT_EQ(longrope->frequency_scaling.context_length, 4096u);
  EXPECT_TRUE(Resolve(Llama3()).ok());
}

TEST(FrequencyScaling, FieldsThatTheRuleDoesNotUse) {
  ExpectRefusal({.rule = Rule::kNone, .factor = 2},
                "factor is given, but rule NO_RULE does not use it");
  FrequencyScaling yarn = Yarn();
  yarn.context_length = 4096;
  ExpectRefusal(yarn, "context_length is given, but rule YARN");
  FrequencyScaling linear{
      .rule = Rule::kLinear, .factor = 2, .original_context = 2048};
  ExpectRefusal(linear, "original_context is given, but rule LINEAR");
  FrequencyScaling llama3 = Llama3();
  llama3.attention_factor = 1;
  ExpectRefusal(llama3, "attention_factor is given, but rule LLAMA3");
}

TEST(FrequencyScaling, FieldsThatTheRuleNeeds) {
  ExpectRefusal({.rule = Rule::kNtk}, "factor is not given, but rule NTK");
  ExpectRefusal({.rule = Rule::kYarn, .factor = 4},
                "original_context is not given, but rule YARN needs it");
  FrequencyScaling llama3 = Llama3();
  llama3.high_frequency_factor.reset();
  ExpectRefusal(llama3, "high_frequency_factor is not given");
  FrequencyScaling longrope = Longrope();
  longrope.long_factors.clear();
  ExpectRefusal(longrope, "long_factors is not given");
  FrequencyScaling yarn = Yarn();
  yarn.mscale = 1;
  ExpectRefusal(yarn, "mscale_all_dim is not given");
  yarn.mscale.reset();
  yarn.mscale_all_dim = 1;
  ExpectRefusal(yarn, "mscale is not given");
}

TEST(FrequencyScaling, NumbersOutOfBounds) {
  for (const double factor :
       {0.0, -1.0, 1e7, std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    ExpectRefusal({.rule = Rule::kLinear, .factor = factor}, "factor is ");
  }
  FrequencyScaling yarn = Yarn();
  yarn.factor = 0.5;
  ExpectRefusal(yarn, "factor is 0.5, but must be 1 to 1e+06");
  yarn = Yarn();
  yarn.original_context = 0;
  ExpectRefusal(yarn, "original_context is 0, but must be 1 to 2147483648");
  FrequencyScaling longrope = Longrope();
  longrope.original_context = 1;
  ExpectRefusal(longrope, "original_context is 1, but must be 2 to");
  longrope = Longrope();
  longrope.context_length = kMaxContext + 1;
  ExpectRefusal(longrope, "context_length is 2147483649");
  longrope = Longrope();
  longrope.long_factors[2] = 0;
  ExpectRefusal(longrope, "long_factors is 0, but must be 1e-06 to 1e+06");
  longrope.long_factors = {1, 2, 3};
  ExpectRefusal(longrope,
                "long_factors has 3 entries, but rotary_dimension / 2 is 4");
}

TEST(FrequencyScaling, WhatMakesNoSenseTogether) {
  FrequencyScaling yarn = Yarn();
  yarn.beta_fast = 1;
  yarn.beta_slow = 2;
  ExpectRefusal(yarn,
                "beta_slow is 2, but must be at most beta_fast, which "
                "is 1");
  ExpectRefusal(Yarn(), "rule is YARN, which needs a base above 1", 8, 1);
  ExpectRefusal({.rule = Rule::kNtk, .factor = 2},
                "rule is NTK, which needs a rotary_dimension of 4 or more, but "
                "that is 2",
                2);
  FrequencyScaling llama3 = Llama3();
  llama3.low_frequency_factor = 4;
  ExpectRefusal(llama3, "low_frequency_factor is 4, but must be below");
}

TEST(FrequencyScaling, FrequenciesTooHighToBeExact) {
  EXPECT_TRUE(Resolve({.rule = Rule::kLinear, .factor = 1e-6}).ok());
  ExpectRefusal({.rule = Rule::kLinear, .factor = 1e-6},
                "rule is LINEAR and makes a frequency of ", 8, 0.5);
  ExpectRefusal({.rule = Rule::kNtk, .factor = 1e-6},
                "rule is NTK and makes a frequency of ", 4, 0.5);
}

}  // namespace
}  // namespace posenc::server
