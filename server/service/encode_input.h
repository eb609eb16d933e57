#ifndef POSENC_SERVER_SERVICE_ENCODE_INPUT_H_
#define POSENC_SERVER_SERVICE_ENCODE_INPUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/embedding_store.h"
#include "server/service/engine.h"

namespace posenc::server {

// The input of an Encode, checked: what the op needs, whether the embeddings
// were sent or are looked up.
struct EncodeInput {
  BatchShape batch;
  Shape output_shape;  // the input's, with d_model as last dimension
  InputWidth width;
  DType dtype = DType::kFloat32;  // of the embeddings or of the table
  // Token ids only: the table, pinned, and the rows to read, all within it.
  TablePointer table;
  std::vector<std::uint64_t> ids;
};

// INVALID_ARGUMENT for no or two inputs, a wrong dtype, rank or payload;
// NOT_FOUND for an unknown table; OUT_OF_RANGE for an id outside it.
absl::StatusOr<EncodeInput> CheckInput(const EncodeRequest& request,
                                       const EmbeddingStore& tables);

}  // namespace posenc::server

#endif  // POSENC_SERVER_SERVICE_ENCODE_INPUT_H_
