#ifndef POSENC_SERVER_CORE_FORMATS_SAFETENSORS_HEADER_H_
#define POSENC_SERVER_CORE_FORMATS_SAFETENSORS_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/tensor.h"

namespace posenc::server {

// What the JSON header of a .safetensors file says of one tensor. Nothing of it
// has been held against the data.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;
  Shape shape;
  std::uint64_t begin = 0;  // from the start of the data, in bytes
  std::uint64_t end = 0;
};

// Reads the header,
// {"NAME":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, …}, and passes
// over "__metadata__", an object of strings. INVALID_ARGUMENT if it is anything
// else, has a name or field twice, or more than kMaxTensorsInFile tensors or
// kMaxRank dimensions. Takes memory in proportion to the header, and stack that
// does not depend on it.
absl::StatusOr<std::vector<SafetensorsEntry>> ParseSafetensorsHeader(
    std::span<const std::byte> json);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_FORMATS_SAFETENSORS_HEADER_H_
