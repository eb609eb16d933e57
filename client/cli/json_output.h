#ifndef POSENC_CLI_JSON_OUTPUT_H_
#define POSENC_CLI_JSON_OUTPUT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <ostream>

#include "posenc/encoding_spec.h"
#include "posenc/tensor.h"

namespace posenc::cli {

using Json = nlohmann::ordered_json;

// Tensors of more elements than this are described, not listed.
inline constexpr std::size_t kMaxListedElements = 1'000'000;

// The proto3 JSON form.
Json SpecJson(const posenc::EncodingSpec& spec);

// Nested lists of numbers with as many digits as they need to be read back as
// they are; null for what is not finite, which JSON cannot say.
Json ValuesJson(const posenc::TensorView& view);

// Adds dtype and shape, and values unless they are too many or went elsewhere.
void AddTensor(const posenc::TensorView& view, bool with_values, Json* object);

// The one line that a command answers with.
void PrintJson(const Json& object, std::ostream& out);

}  // namespace posenc::cli

#endif  // POSENC_CLI_JSON_OUTPUT_H_
