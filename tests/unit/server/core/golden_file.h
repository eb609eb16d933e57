#ifndef POSENC_TESTS_UNIT_SERVER_CORE_GOLDEN_FILE_H_
#define POSENC_TESTS_UNIT_SERVER_CORE_GOLDEN_FILE_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace posenc::testing {

// The cases of tests/golden/golden.json of one of its profiles; at least one.
std::vector<nlohmann::json> GoldenCasesOf(const std::string& profile);

// The numbers of a nested list, in order.
std::vector<double> Numbers(const nlohmann::json& nested);

}  // namespace posenc::testing

#endif  // POSENC_TESTS_UNIT_SERVER_CORE_GOLDEN_FILE_H_
