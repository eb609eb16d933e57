#include "tests/conformance/golden_case.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "tests/conformance/golden_mappings.h"

namespace posenc::testing {

using nlohmann::json;

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

std::optional<GoldenRequest> MapGoldenCase(const GoldenCase& golden) {
  const auto found = GoldenMappings().find(golden.json.at("profile"));
  if (found == GoldenMappings().end()) return std::nullopt;
  GoldenParams params(golden.json);
  GoldenRequest request = found->second(params);
  if (!params.AllUsed()) return std::nullopt;
  if (!request.position_table.empty()) {
    request.encoding.position_table = golden.name + "_rows";
  }
  return request;
}

}  // namespace posenc::testing
