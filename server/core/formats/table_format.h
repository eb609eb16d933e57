#ifndef POSENC_SERVER_CORE_FORMATS_TABLE_FORMAT_H_
#define POSENC_SERVER_CORE_FORMATS_TABLE_FORMAT_H_

// The file formats that embedding tables are read from. To add one: a file pair
// here with a function like ParseTensors, a line in table_format.cc, and a fuzz
// target in tests/fuzz.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/base/dtype.h"
#include "server/base/tensor.h"

namespace posenc::server {

// A tensor inside a file, row-major, little-endian. Its bytes are within the
// file and as many as shape and dtype tell. They may start at any address, for
// the kernels load at any alignment.
struct NamedTensor {
  std::optional<std::string> name;  // absent: the file is one nameless tensor
  std::string dtype_in_file;        // the format's own word, as "BF16" or "<f2"
  std::optional<DType> dtype;       // absent: none of ours
  Shape shape;
  std::uint64_t offset = 0;  // from the start of the file, in bytes
  std::uint64_t bytes = 0;
};

// Finds the tensors of a whole file. Pure: reads nothing but `file`, and each
// byte of a header once, since another process may write to a mapped file.
// INVALID_ARGUMENT if the file is not what the format says.
using ParseTensors =
    absl::StatusOr<std::vector<NamedTensor>> (*)(std::span<const std::byte>);

struct TableFormat {
  absl::string_view extension;  // ".npy"
  ParseTensors parse = nullptr;
};

// The format of a file of that name, or null if it is none of ours.
const TableFormat* FindTableFormat(absl::string_view file_name);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_FORMATS_TABLE_FORMAT_H_
