// Golden cases of sinusoids in one dimension.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "tests/conformance/golden_mappings.h"

namespace posenc::testing {
namespace {

using nlohmann::json;

// The rows of an encoding at the case's positions.
GoldenRequest RowsAt(GoldenParams& params, EncodingSpec encoding) {
  GoldenRequest request = Asking(params, std::move(encoding), params.At("d"));
  request.positions = Flatten(params.golden().at("positions"));
  return request;
}

// Whatever the case, sizes of tables that are long enough change nothing.
void IgnoreLengths(GoldenParams& params) {
  for (const char* name : {"max_seq_len", "max_seq_length", "num_positions",
                           "n_pos", "table_shape"}) {
    params.Ignore(name);
  }
}

// Says that a param changes nothing if it has that value.
template <typename T>
void IgnoreIf(const char* name, const T& value, GoldenParams& params) {
  const json& all = params.golden().at("params");
  if (all.contains(name) && all.at(name) == json(value)) params.Ignore(name);
}

GoldenMapping As(const EncodingSpec& encoding) {
  return [encoding](GoldenParams& params) {
    IgnoreLengths(params);
    return RowsAt(params, encoding);
  };
}

// The same, with a base of that name.
GoldenMapping WithBase(const EncodingSpec& encoding, const std::string& name) {
  return [encoding, name](GoldenParams& params) {
    IgnoreLengths(params);
    EncodingSpec with_base = encoding;
    with_base.base = params.At(name);
    return RowsAt(params, with_base);
  };
}

// Embeddings plus encoding, from position 0 on; with dropout in training.
GoldenRequest Forward(GoldenParams& params) {
  IgnoreLengths(params);
  const json& golden = params.golden();
  GoldenRequest request =
      Asking(params, {.base = params.Or("base", 1e4)}, params.At("d"));
  request.embeddings = Flatten(golden.at("input"));
  request.shape = ShapeOfNested(golden.at("input"));
  request.embeddings_dtype = GoldenDType(golden.at("input_dtype"));
  const double rate = params.At("dropout");
  if (params.At("mode") == "train") {
    request.dropout = Dropout{.rate = rate, .seed = params.At("torch_seed")};
  }
  return request;
}

void SetIds(const json& nested, GoldenRequest& request) {
  for (const double id : Flatten(nested)) {
    request.ids.push_back(static_cast<std::int64_t>(id));
  }
  request.shape = ShapeOfNested(nested);
}

// TorchLingo's lookup · √d_model + encoding.
GoldenRequest EmbedTokens(GoldenParams& params) {
  params.Ignore("vocab");
  params.Ignore("pad_idx");  // told by the weights
  IgnoreIf("x_scale", "sqrt(d)", params);
  IgnoreIf("mode", "eval", params);
  GoldenRequest request = Asking(params, {}, params.At("d"));
  SetIds(params.golden().at("input"), request);
  request.table = Flatten(params.golden().at("weight"));
  return request;
}

// Tables whose position counts the tokens before that are no padding (fairseq's
// copies): for tokens whose embeddings are zeros.
GoldenMapping CountingTokens(const std::string& profile) {
  return [profile](GoldenParams& params) {
    params.Ignore("num_positions");
    const std::int64_t padding_id = params.At("padding_idx");
    GoldenRequest request = Asking(
        params, {.profile = profile, .start = padding_id + 1}, params.At("d"));
    SetIds(params.golden().at("input"), request);
    const std::int64_t last =
        *std::max_element(request.ids.begin(), request.ids.end());
    request.table.resize(static_cast<std::size_t>(last + 1) *
                         *request.encoding.d_model);
    request.padding_id = padding_id;
    request.offset = params.At("cache_length");
    return request;
  };
}

GoldenRequest Timestep(GoldenParams& params) {
  params.Ignore("timesteps_dtype");
  const bool flip = params.At("flip_sin_to_cos");
  const bool shifted = params.At("downscale_freq_shift").get<double>() == 1;
  return RowsAt(
      params,
      {.profile = "diffusers-timestep",
       .base = params.At("max_period").get<double>(),
       .layout = flip ? SinusoidLayout::kCosSin : SinusoidLayout::kSinCos,
       .denominator = shifted ? FrequencyDenominator::kHalfFloorMinusOne
                              : FrequencyDenominator::kHalfFloor,
       .angle_scale = params.At("scale").get<double>()});
}

GoldenRequest SinCos1D(GoldenParams& params) {
  const bool flip = params.At("flip_sin_to_cos");
  return RowsAt(params, {.profile = "roformer-table",
                         .layout = flip ? SinusoidLayout::kCosSin
                                        : SinusoidLayout::kSinCos});
}

GoldenRequest XlnetRelative(GoldenParams& params) {
  for (const char* name : {"qlen", "klen", "attn_type", "clamp_len"}) {
    params.Ignore(name);
  }
  return RowsAt(params, {.profile = "xlnet"});
}

GoldenRequest SpeechT5(GoldenParams& params) {
  return RowsAt(params, {.profile = "speecht5",
                         .encoding_factor = params.At("alpha").get<double>()});
}

GoldenRequest ScaledSinusoidal(GoldenParams& params) {
  EncodingSpec encoding{.profile = "x-transformers",
                        .base = params.At("theta").get<double>()};
  // Learned; d^-1/2, rounded to float32, at first.
  const double scale = params.At("scale_param");
  const double initial = 1 / std::sqrt(params.At("d").get<double>());
  if (std::abs(scale - initial) > 1e-7) encoding.encoding_factor = scale;
  return RowsAt(params, std::move(encoding));
}

}  // namespace

GoldenMap SinusoidalMappings() {
  return {
      {"torchlingo.sinusoidal", WithBase({}, "base")},
      {"torchlingo.forward", Forward},
      {"torchlingo.forward_train", Forward},
      {"torchlingo.simple_transformer_embed", EmbedTokens},
      {"pytorch_tutorial",
       [](GoldenParams& params) {
         params.Ignore("x_layout");
         return As({.profile = "pytorch"})(params);
       }},
      {"diffusers.sinusoidal", As({.profile = "diffusers"})},
      {"diffusers.timestep", Timestep},
      {"diffusers.sincos1d", SinCos1D},
      {"hf.speecht5_scaled", SpeechT5},
      {"hf.marian", As({.profile = "marian"})},
      {"hf.roformer_table", As({.profile = "roformer-table"})},
      {"hf.ctrl", As({.profile = "ctrl"})},
      {"hf.xlnet_relative", XlnetRelative},
      {"hf.distilbert", As({.profile = "distilbert"})},
      {"hf.xlm", As({.profile = "xlm"})},
      {"hf.m2m100_table",
       [](GoldenParams& params) {
         // With a padding index that row would be zeros.
         IgnoreIf("padding_idx", nullptr, params);
         return As({.profile = "m2m100", .start = 0})(params);
       }},
      {"hf.musicgen", As({.profile = "musicgen"})},
      {"hf.whisper", WithBase({.profile = "whisper"}, "max_timescale")},
      {"hf.m2m100", CountingTokens("m2m100")},
      {"hf.speech_to_text", CountingTokens("speech2text")},
      {"hf.fsmt", CountingTokens("fsmt")},
      {"hf.xglm",
       [](GoldenParams& params) {
         IgnoreIf("padding_idx", 1, params);  // no position's row
         params.Ignore("cache_length");       // the positions have it in them
         return As({.profile = "xglm"})(params);
       }},
      {"positional_encodings.1d",
       [](GoldenParams& params) {
         IgnoreIf("channels", params.At("d"), params);
         return As({.profile = "positional-encodings-1d"})(params);
       }},
      {"x_transformers.scaled_sinusoidal", ScaledSinusoidal},
  };
}

}  // namespace posenc::testing
