// Golden cases of rotary encodings: rows of one head, turned.

#include <algorithm>
#include <string>
#include <utility>

#include "tests/conformance/golden_mappings.h"

namespace posenc::testing {
namespace {

using nlohmann::json;

GoldenRequest Turned(GoldenParams& params, EncodingSpec encoding,
                     std::uint64_t head_dim) {
  const json& golden = params.golden();
  GoldenRequest request = Asking(params, std::move(encoding), head_dim);
  request.embeddings = Flatten(golden.at("input"));
  request.embeddings_dtype = GoldenDType(golden.at("input_dtype"));
  request.positions = Flatten(golden.at("positions"));
  request.layout = BatchLayout::kHeadsSequence;
  request.shape = {1, 1, request.positions.size(), head_dim};
  return request;
}

// The length that Hugging Face's rules see: that of the positions asked for.
std::uint64_t ContextLength(const GoldenParams& params) {
  const std::vector<double> positions =
      Flatten(params.golden().at("positions"));
  return static_cast<std::uint64_t>(
             *std::max_element(positions.begin(), positions.end())) +
         1;
}

using Fill = void (*)(GoldenParams& params, EncodingSpec& encoding);

GoldenMapping Llama(FrequencyRule rule, Fill fill) {
  return [rule, fill](GoldenParams& params) {
    EncodingSpec encoding{.profile = "llama",
                          .base = params.At("base").get<double>()};
    encoding.frequency_scaling = FrequencyScaling{.rule = rule};
    params.Ignore("max_position_embeddings");
    fill(params, encoding);
    // Hugging Face heeds it in all rules; without one it does not.
    if (params.Has("partial_rotary_factor") && rule != FrequencyRule::kNone &&
        rule != FrequencyRule::kProportional) {
      encoding.rotary_dimension = static_cast<std::uint32_t>(
          params.At("partial_rotary_factor").get<double>() *
          params.At("r").get<double>());
    }
    return Turned(params, std::move(encoding), params.At("r"));
  };
}

void FillNothing(GoldenParams&, EncodingSpec&) {}

void FillFactor(GoldenParams& params, EncodingSpec& encoding) {
  encoding.frequency_scaling->factor = params.At("factor");
}

void FillDynamic(GoldenParams& params, EncodingSpec& encoding) {
  FillFactor(params, encoding);
  FrequencyScaling& scaling = *encoding.frequency_scaling;
  scaling.original_context = params.At("max_position_embeddings");
  scaling.context_length = ContextLength(params);
}

void FillYarn(GoldenParams& params, EncodingSpec& encoding) {
  FillFactor(params, encoding);
  FrequencyScaling& scaling = *encoding.frequency_scaling;
  scaling.original_context = params.At("original_max_position_embeddings");
  if (params.Has("truncate")) scaling.truncate = params.At("truncate");
  const auto take = [&](const char* name, std::optional<double>& field) {
    if (params.Has(name)) field = params.At(name).get<double>();
  };
  take("mscale", scaling.mscale);
  take("mscale_all_dim", scaling.mscale_all_dim);
  take("attention_factor", scaling.attention_factor);
  take("beta_fast", scaling.beta_fast);
  take("beta_slow", scaling.beta_slow);
}

void FillLlama3(GoldenParams& params, EncodingSpec& encoding) {
  FillFactor(params, encoding);
  FrequencyScaling& scaling = *encoding.frequency_scaling;
  scaling.original_context = params.At("original_max_position_embeddings");
  scaling.low_frequency_factor = params.At("low_freq_factor");
  scaling.high_frequency_factor = params.At("high_freq_factor");
}

void FillLongrope(GoldenParams& params, EncodingSpec& encoding) {
  FrequencyScaling& scaling = *encoding.frequency_scaling;
  const double original = params.At("original_max_position_embeddings");
  scaling.original_context = static_cast<std::uint64_t>(original);
  scaling.context_length = ContextLength(params);
  scaling.factor = params.Or(
      "factor", params.At("max_position_embeddings").get<double>() / original);
  scaling.short_factors = params.At("short_factor").get<std::vector<double>>();
  scaling.long_factors = params.At("long_factor").get<std::vector<double>>();
}

void FillProportional(GoldenParams& params, EncodingSpec& encoding) {
  FillFactor(params, encoding);
  const double pairs = params.At("partial_rotary_factor").get<double>() *
                       params.At("r").get<double>() / 2;
  encoding.rotary_dimension = 2 * static_cast<std::uint32_t>(pairs);
}

GoldenRequest GptNeox(GoldenParams& params) {
  params.Ignore("partial_rotary_factor");  // r is that of head_dim
  return Turned(params,
                {.profile = "gpt-neox",
                 .base = params.At("base").get<double>(),
                 .rotary_dimension = params.At("r")},
                params.At("head_dim"));
}

GoldenRequest GptJ(GoldenParams& params) {
  return Turned(params,
                {.profile = "gpt-j",
                 .base = params.At("base").get<double>(),
                 .rotary_dimension = params.At("rotary_dim")},
                params.At("head_dim"));
}

GoldenRequest Roformer(GoldenParams& params) {
  return Turned(
      params, {.profile = "roformer", .base = params.At("base").get<double>()},
      params.At("r"));
}

void FillStretching(GoldenParams& params, const char* linear, const char* ntk,
                    EncodingSpec& encoding) {
  if (params.Has(linear)) {
    encoding.frequency_scaling = FrequencyScaling{
        .rule = FrequencyRule::kLinear, .factor = params.At(linear)};
  }
  if (params.Has(ntk)) {
    encoding.frequency_scaling =
        FrequencyScaling{.rule = FrequencyRule::kNtk, .factor = params.At(ntk)};
  }
}

GoldenRequest XTransformers(GoldenParams& params) {
  EncodingSpec encoding{.profile = "x-transformers-rotary",
                        .rotary_dimension = params.At("r")};
  FillStretching(params, "interpolation_factor", "base_rescale_factor",
                 encoding);
  return Turned(params, std::move(encoding), params.At("head_dim"));
}

GoldenRequest RotaryEmbeddingTorch(GoldenParams& params) {
  params.Ignore("offset");  // the positions have it in them
  EncodingSpec encoding{.profile = "rotary-embedding-torch",
                        .base = params.Or("theta", 1e4),
                        .rotary_dimension = params.At("dim")};
  FillStretching(params, "interpolate_factor", "theta_rescale_factor",
                 encoding);
  return Turned(params, std::move(encoding), params.At("head_dim"));
}

}  // namespace

GoldenMap RotaryMappings() {
  const std::string llama = "hf.llama_rotary.";
  return {
      {llama + "default", Llama(FrequencyRule::kNone, FillNothing)},
      {llama + "linear", Llama(FrequencyRule::kLinear, FillFactor)},
      {llama + "dynamic", Llama(FrequencyRule::kDynamicNtk, FillDynamic)},
      {llama + "yarn", Llama(FrequencyRule::kYarn, FillYarn)},
      {llama + "llama3", Llama(FrequencyRule::kLlama3, FillLlama3)},
      {llama + "longrope", Llama(FrequencyRule::kLongrope, FillLongrope)},
      {llama + "proportional",
       Llama(FrequencyRule::kProportional, FillProportional)},
      {"hf.gpt_neox_rotary", GptNeox},
      {"hf.gptj_rotary", GptJ},
      {"hf.roformer_rotary", Roformer},
      {"x_transformers.rotary", XTransformers},
      {"rotary_embedding_torch", RotaryEmbeddingTorch},
  };
}

}  // namespace posenc::testing
