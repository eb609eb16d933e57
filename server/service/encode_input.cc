#include "server/service/encode_input.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/base/error.h"
#include "server/core/payload.h"

namespace posenc::server {
namespace {

// What each outer dimension of an input is, in its order.
enum class Outer { kBatch, kSequence, kHeads };

std::vector<Outer> OuterDimensions(BatchLayout layout) {
  switch (layout) {
    case BatchLayout::kBatchFirst:
      return {Outer::kBatch, Outer::kSequence};
    case BatchLayout::kSequenceFirst:
      return {Outer::kSequence, Outer::kBatch};
    case BatchLayout::kHeadsSequence:
      return {Outer::kBatch, Outer::kHeads, Outer::kSequence};
    case BatchLayout::kSequenceHeads:
      return {Outer::kBatch, Outer::kSequence, Outer::kHeads};
  }
  return {};
}

// "[batch, sequence, d_model]".
std::string Describe(const std::vector<Outer>& outer, bool packed,
                     bool has_width) {
  std::vector<absl::string_view> names;
  for (const Outer dimension : outer) {
    if (dimension == Outer::kBatch) names.push_back("batch");
    if (dimension == Outer::kHeads) names.push_back("heads");
    if (dimension == Outer::kSequence) {
      names.push_back(packed ? "tokens" : "sequence");
    }
  }
  if (has_width) names.push_back("d_model");
  return absl::StrCat("[", absl::StrJoin(names, ", "), "]");
}

// Checks the rank, and reads batch, sequence and heads off the outer
// dimensions, which token ids have alone.
absl::StatusOr<BatchShape> ReadBatch(const EncodeRequest& request,
                                     const Shape& shape, bool has_width,
                                     absl::string_view what) {
  const bool packed = IsPacked(request.positions);
  std::vector<Outer> outer = OuterDimensions(request.layout);
  if (packed) std::erase(outer, Outer::kBatch);
  const std::size_t rank = outer.size() + (has_width ? 1 : 0);
  if (shape.size() != rank) {
    return Invalid(
        "RANK",
        absl::StrCat(what, " are ", ToString(shape), ", which has ",
                     shape.size(), " dimensions, but must be ",
                     Describe(outer, packed, has_width), ", which has ", rank));
  }
  BatchShape batch{.layout = request.layout};
  for (std::size_t i = 0; i < outer.size(); ++i) {
    if (outer[i] == Outer::kBatch) batch.batch = shape[i];
    if (outer[i] == Outer::kSequence) batch.sequence = shape[i];
    if (outer[i] == Outer::kHeads) batch.heads = shape[i];
  }
  return batch;
}

absl::StatusOr<EncodeInput> CheckEmbeddings(const EncodeRequest& request) {
  const TensorView& tensor = *request.embeddings;
  if (!IsFloat(tensor.dtype)) {
    return Invalid("DTYPE", absl::StrCat("embeddings are ", Name(tensor.dtype),
                                         ", but must be FLOAT32, FLOAT16, "
                                         "BFLOAT16 or FLOAT64"));
  }
  const auto batch = ReadBatch(request, tensor.shape, true, "embeddings");
  if (!batch.ok()) return batch.status();
  const auto elements = CheckPayload(tensor, "embeddings");
  if (!elements.ok()) return elements.status();
  return EncodeInput{
      .batch = *batch,
      .output_shape = tensor.shape,
      .width = {tensor.shape.back(),
                absl::StrCat("embeddings are ", ToString(tensor.shape))},
      .dtype = tensor.dtype};
}

absl::Status CheckIds(const std::vector<std::int64_t>& ids, const Shape& shape,
                      const EmbeddingTable& table) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && static_cast<std::uint64_t>(ids[i]) < table.host.rows) {
      continue;
    }
    const std::string place =
        shape.size() == 2
            ? absl::StrCat("[", i / shape[1], ",", i % shape[1], "]")
            : absl::StrCat("[", i, "]");
    return Error(absl::StatusCode::kOutOfRange, "TOKEN_ID_OUTSIDE_TABLE",
                 absl::StrCat("token id ", ids[i], " at ", place,
                              " is outside embedding table '", table.name,
                              "', which has rows 0 to ", table.host.rows - 1));
  }
  return absl::OkStatus();
}

absl::StatusOr<EncodeInput> CheckTokenIds(const EncodeRequest& request,
                                          const EmbeddingStore& tables) {
  const TensorView& tensor = *request.token_ids;
  if (HasHeads(request.layout)) {
    return Invalid(
        "LAYOUT_WITH_HEADS",
        absl::StrCat("batch_layout is ",
                     Describe(OuterDimensions(request.layout), false, true),
                     ", but token_ids, which are ", ToString(tensor.shape),
                     ", have no heads"));
  }
  const auto batch = ReadBatch(request, tensor.shape, false, "token_ids");
  if (!batch.ok()) return batch.status();
  const auto elements = CheckPayload(tensor, "token_ids");
  if (!elements.ok()) return elements.status();
  const auto ids = ReadIntegers(tensor, "token_ids");
  if (!ids.ok()) return ids.status();
  auto table = tables.Find(request.embedding_table);
  if (!table.ok()) return table.status();
  const absl::Status inside = CheckIds(*ids, tensor.shape, **table);
  if (!inside.ok()) return inside;
  const HostTable& host = (*table)->host;
  EncodeInput input{
      .batch = *batch,
      .output_shape = tensor.shape,
      .width = {host.width, absl::StrCat("embedding table '", (*table)->name,
                                         "' has rows of ", host.width)},
      .dtype = host.dtype,
      .table = *table,
      .ids = {ids->begin(), ids->end()}};
  input.output_shape.push_back(host.width);
  return input;
}

}  // namespace

absl::StatusOr<EncodeInput> CheckInput(const EncodeRequest& request,
                                       const EmbeddingStore& tables) {
  if (request.embeddings && request.token_ids) {
    return Invalid("CONTRADICTORY_FIELDS",
                   "embeddings and token_ids are both set; one is the input");
  }
  if (request.embeddings) return CheckEmbeddings(request);
  if (request.token_ids) return CheckTokenIds(request, tables);
  return Invalid("INPUT_MISSING", "neither embeddings nor token_ids are set");
}

}  // namespace posenc::server
