// posenc-server against raw peers of the same bytes: all are processes of their
// own, take the same messages from the same kind of client, and take turns in
// one run, so that what else the machine does hits all alike.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "tests/benchmarks/peer_server.h"
#include "tests/benchmarks/sections.h"

namespace posenc::testing {
namespace {

struct Section {
  const char* name;
  void (*run)(const BenchmarkOptions&, Report&);
};
constexpr Section kSections[] = {
    {"wire", RunWire},     {"tokens", RunTokens}, {"heads", RunHeads},
    {"client", RunClient}, {"idle", RunIdle},     {"tail", RunTail},
    {"cold", RunCold},     {"memory", RunMemory}, {"growth", RunGrowth}};

int Main(int argc, char** argv) {
  BenchmarkOptions options{.program = argv[0]};
  std::vector<std::string> wanted;
  std::string json;
  CLI::App app("Measures posenc-server end to end, beside raw gRPC peers.");
  std::vector<std::string> names;
  for (const Section& section : kSections) names.emplace_back(section.name);
  app.add_option("section", wanted, "What to measure; default: all")
      ->check(CLI::IsMember(names));
  app.add_option("--rounds", options.rounds, "Turns of each side")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--json", json, "File to write the figures to");
  CLI11_PARSE(app, argc, argv);
  Report report;
  for (const Section& section : kSections) {
    if (wanted.empty() ||
        std::find(wanted.begin(), wanted.end(), section.name) != wanted.end()) {
      section.run(options, report);
    }
  }
  if (!json.empty()) report.WriteJson(json);
  return 0;
}

}  // namespace
}  // namespace posenc::testing

int main(int argc, char** argv) {
  try {
    if (argc > 1 && std::strcmp(argv[1], "--peer") == 0) {
      return posenc::testing::RunPeer({argv + 2, argv + argc});
    }
    if (argc > 2 && std::strcmp(argv[1], "--bulk") == 0) {
      return posenc::testing::RunBulk(argv[2]);
    }
    return posenc::testing::Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "end_to_end_benchmark: " << error.what() << "\n";
    return 1;
  }
}
