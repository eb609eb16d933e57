#ifndef POSENC_SERVER_CORE_FORMATS_SAFETENSORS_H_
#define POSENC_SERVER_CORE_FORMATS_SAFETENSORS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/formats/table_format.h"

namespace posenc::server {

// The tensors of a .safetensors file, in the header's order. The format is that
// of https://github.com/huggingface/safetensors: 8 bytes of header size, a JSON
// header, and the data, every byte of which belongs to exactly one tensor.
//
// Tensors of a dtype that is none of ours are kept, without a dtype; if the
// dtype is not even one of the format's, the number of their bytes is not
// checked against the shape.
//
// INVALID_ARGUMENT, in words about the file, if a part is missing, a number is
// wrong, a name or field comes twice, or there are more than
// kMaxSafetensorsHeaderBytes, kMaxTensorsInFile or kMaxRank.
absl::StatusOr<std::vector<NamedTensor>> ParseSafetensors(
    std::span<const std::byte> file);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_FORMATS_SAFETENSORS_H_
