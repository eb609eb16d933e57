#include "tests/conformance/golden_mappings.h"

#include <utility>

namespace posenc::testing {

using nlohmann::json;

const json& GoldenParams::At(const std::string& name) {
  used_.insert(name);
  return golden_.at("params").at(name);
}

bool GoldenParams::Has(const std::string& name) {
  used_.insert(name);
  const json& params = golden_.at("params");
  return params.contains(name) && !params.at(name).is_null();
}

bool GoldenParams::AllUsed() const {
  for (const auto& [name, value] : golden_.at("params").items()) {
    if (used_.count(name) == 0) return false;
  }
  return true;
}

Shape ShapeOfNested(const json& nested) {
  Shape shape;
  for (const json* level = &nested; level->is_array(); level = &level->at(0)) {
    shape.push_back(level->size());
  }
  return shape;
}

DType GoldenDType(const std::string& name) {
  static const std::map<std::string, DType> names = {
      {"float32", DType::kFloat32},
      {"float16", DType::kFloat16},
      {"bfloat16", DType::kBFloat16},
      {"float64", DType::kFloat64},
      {"int64", DType::kFloat64}};
  return names.at(name);
}

GoldenRequest Asking(const GoldenParams& params, EncodingSpec encoding,
                     std::uint64_t d_model) {
  GoldenRequest request;
  request.dtype = GoldenDType(params.golden().at("dtype"));
  encoding.d_model = static_cast<std::uint32_t>(d_model);
  request.encoding = std::move(encoding);
  return request;
}

const GoldenMap& GoldenMappings() {
  static const auto& mappings = *new GoldenMap([] {
    GoldenMap all = SinusoidalMappings();
    all.merge(LearnedMappings());
    all.merge(GridMappings());
    all.merge(RotaryMappings());
    return all;
  }());
  return mappings;
}

}  // namespace posenc::testing
