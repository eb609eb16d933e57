#ifndef POSENC_TESTS_CONFORMANCE_GOLDEN_CASE_H_
#define POSENC_TESTS_CONFORMANCE_GOLDEN_CASE_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "posenc/requests.h"

namespace posenc::testing {

// One case of a golden file: what a real library printed, and the exact values
// of the formula that it should equal (see tests/golden/README.md).
struct GoldenCase {
  std::string name;  // of the test
  nlohmann::json json;
};

// The cases of POSENC_GOLDEN, or of tests/golden/golden.json.
std::vector<GoldenCase> LoadGoldenCases();

// What to ask the service for, so that it computes a case.
struct GoldenRequest {
  EncodingSpec encoding;
  DType dtype = DType::kFloat32;  // of the output
  std::uint64_t d_model = 0;
  // Embeddings to encode; none: the rows of the encoding alone.
  std::vector<double> embeddings;
  DType embeddings_dtype = DType::kFloat32;
  Shape embeddings_shape;
  // Token ids to look up in `table`, a matrix of d_model columns.
  std::vector<std::int64_t> ids;
  std::vector<double> table;
  // A position for each row of the output, and which rows have none.
  std::vector<double> positions;
  std::vector<bool> padding;
};

// Why a case is of no family that the service has.
struct NotServed {
  std::string why;
};

// Maps a case by its profile and params alone, never by its values.
std::variant<GoldenRequest, NotServed> MapGoldenCase(const GoldenCase& golden);

// The numbers of a nested list, in order.
std::vector<double> Flatten(const nlohmann::json& nested);

}  // namespace posenc::testing

#endif  // POSENC_TESTS_CONFORMANCE_GOLDEN_CASE_H_
