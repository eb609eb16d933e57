#include "tests/benchmarks/report.h"

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace posenc::testing {

void Report::Add(const std::string& section, const std::string& name,
                 const NamedFigures& figures) {
  nlohmann::ordered_json row = {{"section", section}, {"name", name}};
  std::printf("%-7s %-34s", section.c_str(), name.c_str());
  for (const auto& [figure, value] : figures) {
    std::printf("  %s %.4g", figure.c_str(), value);
    row[figure] = value;
  }
  std::printf("\n");
  std::fflush(stdout);
  rows_.push_back(std::move(row));
}

void Report::WriteJson(const std::string& path) const {
  std::ofstream file(path);
  file << nlohmann::ordered_json{{"rows", rows_}}.dump(1) << "\n";
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace posenc::testing
