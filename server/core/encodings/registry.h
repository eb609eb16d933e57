#ifndef POSENC_SERVER_CORE_ENCODINGS_REGISTRY_H_
#define POSENC_SERVER_CORE_ENCODINGS_REGISTRY_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/core/embedding_store.h"
#include "server/core/encoding_spec.h"
#include "server/core/encodings/encoding.h"

namespace posenc::server {

// How to make an encoding, for whoever does not hold it yet.
struct EncodingRecipe {
  // Equal keys: bit-equal rows. Everything that changes values is in it, and
  // nothing else.
  std::string key;
  std::function<std::shared_ptr<const Encoding>()> make;
};

// The recipe of a resolved spec. NOT_FOUND if it names a table that is not
// there, INVALID_ARGUMENT if that has rows of another width.
absl::StatusOr<EncodingRecipe> FindRecipe(const EncodingSpec& spec,
                                          const EmbeddingStore& tables);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_REGISTRY_H_
