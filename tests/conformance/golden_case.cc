#include "tests/conformance/golden_case.h"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>

namespace posenc::testing {
namespace {

using nlohmann::json;

DType DTypeFrom(const std::string& name) {
  static const std::map<std::string, DType> names = {
      {"float32", DType::kFloat32},
      {"float16", DType::kFloat16},
      {"bfloat16", DType::kBFloat16},
      {"float64", DType::kFloat64}};
  return names.at(name);
}

Shape ShapeOf(const json& nested) {
  Shape shape;
  for (const json* level = &nested; level->is_array(); level = &level->at(0)) {
    shape.push_back(level->size());
  }
  return shape;
}

// The rows of an encoding at the case's positions.
GoldenRequest Rows(const json& golden, EncodingSpec encoding) {
  GoldenRequest request;
  request.dtype = DTypeFrom(golden.at("dtype"));
  request.d_model = golden.at("params").at("d").get<std::uint64_t>();
  encoding.d_model = static_cast<std::uint32_t>(request.d_model);
  request.encoding = std::move(encoding);
  request.positions = Flatten(golden.at("positions"));
  request.padding.resize(request.positions.size());
  return request;
}

// Embeddings plus encoding, from position 0 on.
GoldenRequest Forward(const json& golden) {
  GoldenRequest request =
      Rows(golden, {.base = golden.at("params").value("base", 1e4)});
  request.embeddings = Flatten(golden.at("input"));
  request.embeddings_shape = ShapeOf(golden.at("input"));
  request.embeddings_dtype = DTypeFrom(golden.at("input_dtype"));
  return request;
}

// TorchLingo's lookup · √d_model + encoding.
GoldenRequest EmbedTokens(const json& golden) {
  GoldenRequest request = Rows(golden, {});
  for (const double id : Flatten(golden.at("input"))) {
    request.ids.push_back(static_cast<std::int64_t>(id));
  }
  request.embeddings_shape = ShapeOf(golden.at("input"));
  request.table = Flatten(golden.at("weight"));
  return request;
}

// Tables whose position counts the tokens before that are no padding (fairseq
// and its copies): here told apart as positions, and rows that get none.
GoldenRequest CountedTokens(const json& golden) {
  const json& params = golden.at("params");
  const auto padding_id = params.at("padding_idx").get<double>();
  GoldenRequest request =
      Rows(golden, {.profile = "m2m100",
                    .start = static_cast<std::int64_t>(padding_id) + 1});
  request.positions.clear();
  request.padding.clear();
  for (const json& sequence : golden.at("input")) {
    double next = params.at("cache_length").get<double>();
    for (const json& id : sequence) {
      const bool padding = id.get<double>() == padding_id;
      request.padding.push_back(padding);
      request.positions.push_back(padding ? 0 : next++);
    }
  }
  return request;
}

GoldenRequest Timestep(const json& golden) {
  const json& params = golden.at("params");
  const bool flip = params.at("flip_sin_to_cos");
  const bool shifted = params.at("downscale_freq_shift").get<double>() == 1;
  return Rows(
      golden,
      {.profile = "tensor2tensor",
       .base = params.at("max_period").get<double>(),
       .layout = flip ? SinusoidLayout::kCosSin : SinusoidLayout::kSinCos,
       .denominator = shifted ? FrequencyDenominator::kHalfFloorMinusOne
                              : FrequencyDenominator::kHalfFloor,
       .angle_scale = params.at("scale").get<double>()});
}

using Mapping = std::function<GoldenRequest(const json&)>;

Mapping As(const EncodingSpec& encoding) {
  return [encoding](const json& golden) { return Rows(golden, encoding); };
}

const std::map<std::string, Mapping>& Mappings() {
  static const auto& mappings = *new std::map<std::string, Mapping>{
      {"torchlingo.sinusoidal",
       [](const json& golden) {
         return Rows(golden, {.base = golden.at("params").at("base")});
       }},
      {"torchlingo.forward", Forward},
      {"torchlingo.simple_transformer_embed", EmbedTokens},
      {"pytorch_tutorial", As({.profile = "pytorch"})},
      {"diffusers.sinusoidal", As({.profile = "diffusers"})},
      {"hf.speecht5_scaled", As({.profile = "pytorch"})},
      {"hf.marian", As({.profile = "marian"})},
      {"hf.roformer_table", As({.profile = "marian"})},
      {"hf.ctrl", As({.profile = "ctrl"})},
      {"hf.xlnet_relative", As({.profile = "marian"})},
      {"hf.distilbert", As({.profile = "distilbert"})},
      {"hf.xlm", As({.profile = "xlm"})},
      {"hf.m2m100_table", As({.profile = "tensor2tensor"})},
      {"hf.musicgen", As({.profile = "musicgen"})},
      {"hf.whisper",
       [](const json& golden) {
         return Rows(golden, {.profile = "whisper",
                              .base = golden.at("params").at("max_timescale")});
       }},
      {"hf.m2m100", CountedTokens},
      {"hf.speech_to_text", CountedTokens},
      {"hf.xglm", As({.profile = "xglm"})},
      {"positional_encodings.1d", As({.profile = "positional-encodings-1d"})},
      {"diffusers.timestep", Timestep},
      {"diffusers.sincos1d",
       [](const json& golden) {
         const bool flip = golden.at("params").at("flip_sin_to_cos");
         return Rows(golden, {.layout = flip ? SinusoidLayout::kCosSin
                                             : SinusoidLayout::kSinCos});
       }},
  };
  return mappings;
}

}  // namespace

std::vector<double> Flatten(const json& nested) {
  if (!nested.is_array()) return {nested.get<double>()};
  std::vector<double> values;
  for (const json& inner : nested) {
    const std::vector<double> part = Flatten(inner);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

std::vector<GoldenCase> LoadGoldenCases() {
  const char* other = std::getenv("POSENC_GOLDEN");
  const std::string path = other != nullptr ? other : POSENC_GOLDEN_FILE;
  std::ifstream file(path);
  const json golden = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!golden.is_object() || !golden.contains("cases")) {
    throw std::runtime_error(path + " is no golden file");
  }
  std::vector<GoldenCase> cases;
  for (const json& one : golden["cases"]) {
    std::string name = one.at("profile");
    for (char& c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    cases.push_back({name + "_" + std::to_string(cases.size()), one});
  }
  return cases;
}

std::variant<GoldenRequest, NotServed> MapGoldenCase(const GoldenCase& golden) {
  const std::string profile = golden.json.at("profile");
  const auto found = Mappings().find(profile);
  if (found == Mappings().end()) {
    return NotServed{"no family or field for " + profile + " yet"};
  }
  const json& params = golden.json.at("params");
  if (params.value("alpha", 1.0) != 1) {
    return NotServed{"no scale of the encoding yet"};
  }
  return found->second(golden.json);
}

}  // namespace posenc::testing
