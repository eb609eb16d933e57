// Golden cases of position ids: which row of a learned table each token reads.
// The tables here hold their rows' numbers, the embeddings zeros.

#include <algorithm>

#include "tests/conformance/golden_mappings.h"

namespace posenc::testing {
namespace {

using nlohmann::json;

constexpr std::size_t kPositionRows = 64;

GoldenRequest RowNumbers(const GoldenParams& params, EncodingSpec encoding) {
  GoldenRequest request = Asking(params, std::move(encoding), 1);
  for (std::size_t row = 0; row < kPositionRows; ++row) {
    request.position_table.push_back(static_cast<double>(row));
  }
  return request;
}

void AddZeroEmbeddings(Shape shape, GoldenRequest& request) {
  std::size_t tokens = 1;
  for (const std::uint64_t extent : shape) tokens *= extent;
  shape.push_back(1);
  request.shape = std::move(shape);
  request.embeddings.resize(tokens);
  request.embeddings_dtype = DType::kFloat64;
}

GoldenRequest Roberta(GoldenParams& params) {
  const std::int64_t padding_id = params.At("padding_idx");
  GoldenRequest request =
      RowNumbers(params, {.profile = "roberta", .start = padding_id + 1});
  for (const double id : Flatten(params.golden().at("input"))) {
    request.ids.push_back(static_cast<std::int64_t>(id));
  }
  request.shape = ShapeOfNested(params.golden().at("input"));
  request.table.resize(static_cast<std::size_t>(*std::max_element(
                           request.ids.begin(), request.ids.end())) +
                       1);
  request.padding_id = padding_id;
  request.offset = params.At("cache_length");
  return request;
}

GoldenRequest Opt(GoldenParams& params) {
  GoldenRequest request =
      RowNumbers(params, {.profile = "opt", .start = params.At("offset")});
  params.Ignore("cache_length");  // the mask has a column for each of the past
  const json& mask = params.golden().at("input");
  for (const double value : Flatten(mask)) {
    request.mask.push_back(static_cast<std::int64_t>(value));
  }
  request.mask_shape = ShapeOfNested(mask);
  AddZeroEmbeddings(ShapeOfNested(params.golden().at("output")), request);
  return request;
}

GoldenRequest Bart(GoldenParams& params) {
  GoldenRequest request =
      RowNumbers(params, {.profile = "bart", .start = params.At("offset")});
  request.offset = params.At("cache_length");
  params.Ignore("seq_len");
  AddZeroEmbeddings(ShapeOfNested(params.golden().at("output")), request);
  return request;
}

}  // namespace

GoldenMap LearnedMappings() {
  return {{"hf.roberta_position_ids", Roberta},
          {"hf.opt_position_ids", Opt},
          {"hf.bart_position_ids", Bart}};
}

}  // namespace posenc::testing
