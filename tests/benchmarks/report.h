#ifndef POSENC_TESTS_BENCHMARKS_REPORT_H_
#define POSENC_TESTS_BENCHMARKS_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace posenc::testing {

// Figures by name, units in the name: {"rate_ratio", 0.98}.
using NamedFigures = std::vector<std::pair<std::string, double>>;

// Collects figures, and prints each row when it is there.
class Report {
 public:
  void Add(const std::string& section, const std::string& name,
           const NamedFigures& figures);

  // {"rows": [{"section": …, "name": …, figure: …}, …]}; throws if the file
  // cannot be written.
  void WriteJson(const std::string& path) const;

 private:
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

}  // namespace posenc::testing

#endif  // POSENC_TESTS_BENCHMARKS_REPORT_H_
