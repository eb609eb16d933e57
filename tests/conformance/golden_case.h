#ifndef POSENC_TESTS_CONFORMANCE_GOLDEN_CASE_H_
#define POSENC_TESTS_CONFORMANCE_GOLDEN_CASE_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "posenc/requests.h"

namespace posenc::testing {

// One case of a golden file: what a real library printed, and the exact values
// of the formula that it should equal (see tests/golden/README.md).
struct GoldenCase {
  std::string name;  // of the test, and of its tables
  nlohmann::json json;
};

// The cases of POSENC_GOLDEN, or of tests/golden/golden.json.
std::vector<GoldenCase> LoadGoldenCases();

// What to ask the service for, so that it computes a case.
struct GoldenRequest {
  EncodingSpec encoding;
  DType dtype = DType::kFloat32;  // of the output

  // Embeddings to encode, or token ids to look up in `table`, a matrix of
  // d_model columns. Neither: the rows of the encoding alone.
  Shape shape;
  std::vector<double> embeddings;
  DType embeddings_dtype = DType::kFloat32;
  std::vector<std::int64_t> ids;
  std::vector<double> table;
  BatchLayout layout = BatchLayout::kBatchFirst;
  std::optional<Dropout> dropout;

  // The rows of encoding.position_table, d_model columns each.
  std::vector<double> position_table;

  // Where the tokens are. Neither values nor mask nor padding id: they count
  // from the offset on; of rows alone, row_count of them.
  std::vector<double> positions;
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> padding_id;
  Shape mask_shape;
  std::vector<std::int64_t> mask;
  std::uint64_t row_count = 0;

  bool RowsAlone() const { return embeddings.empty() && ids.empty(); }
};

// Maps a case by its profile and params alone, never by its values; none for a
// case of a profile or with a param that is not known here.
std::optional<GoldenRequest> MapGoldenCase(const GoldenCase& golden);

// The numbers of a nested list, in order.
std::vector<double> Flatten(const nlohmann::json& nested);

}  // namespace posenc::testing

#endif  // POSENC_TESTS_CONFORMANCE_GOLDEN_CASE_H_
