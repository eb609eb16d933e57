#include "server/service/encode_input.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/core/payload.h"

namespace posenc::server {
namespace {

// Checks the rank, and reads batch and sequence off the outer dimensions.
absl::StatusOr<BatchShape> ReadBatch(const EncodeRequest& request,
                                     const Shape& shape, std::size_t inner,
                                     absl::string_view what) {
  const bool packed = IsPacked(request.positions);
  const std::size_t rank = (packed ? 1 : 2) + inner;
  if (shape.size() != rank) {
    const absl::string_view last = inner == 0 ? "]" : ", d_model]";
    const absl::string_view outer =
        packed ? "[tokens"
               : (request.layout == BatchLayout::kSequenceFirst
                      ? "[sequence, batch"
                      : "[batch, sequence");
    return Invalid(
        "RANK", absl::StrCat(what, " are ", ToString(shape), ", which has ",
                             shape.size(), " dimensions, but must be ", outer,
                             last, ", which has ", rank));
  }
  if (packed) return BatchShape{.batch = 1, .sequence = shape[0]};
  BatchShape batch{shape[0], shape[1], request.layout};
  if (request.layout == BatchLayout::kSequenceFirst) {
    std::swap(batch.batch, batch.sequence);
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
  const auto batch = ReadBatch(request, tensor.shape, 1, "embeddings");
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
  const auto batch = ReadBatch(request, tensor.shape, 0, "token_ids");
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
