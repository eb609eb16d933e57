#include "tests/unit/server/core/golden_file.h"

#include <fstream>
#include <stdexcept>

namespace posenc::testing {

using nlohmann::json;

std::vector<json> GoldenCasesOf(const std::string& profile) {
  static const json& golden = *new json([] {
    std::ifstream file(POSENC_GOLDEN_FILE);
    return json::parse(file);
  }());
  std::vector<json> cases;
  for (const json& one : golden.at("cases")) {
    if (one.at("profile") == profile) cases.push_back(one);
  }
  if (cases.empty()) throw std::runtime_error("no golden case of " + profile);
  return cases;
}

std::vector<double> Numbers(const json& nested) {
  if (!nested.is_array()) return {nested.get<double>()};
  std::vector<double> values;
  for (const json& inner : nested) {
    const std::vector<double> part = Numbers(inner);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

}  // namespace posenc::testing
