#ifndef POSENC_CLI_NPY_H_
#define POSENC_CLI_NPY_H_

#include <cstddef>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "posenc/tensor.h"

namespace posenc::cli {

// How the two-byte elements are read that NumPy has no type of its own for.
enum class UInt16As { kRefused, kBFloat16 };

// Reads a whole .npy file of little-endian f2, f4, f8, i4 or i8, in C order.
// u2 and V2 are read as bfloat16, or refused. Nothing that the header claims
// is believed before the file's length has confirmed it, so that memory is
// only taken for bytes that are there. Errors are local ones (see exit_code.h)
// and name the file.
absl::StatusOr<posenc::SharedTensor> ReadNpy(
    const std::string& path, UInt16As uint16_as = UInt16As::kRefused);

// Writes a .npy file; bfloat16 as u2. The bytes are row-major and
// little-endian, as many as shape and dtype say.
absl::Status WriteNpy(const std::string& path, const posenc::TensorView& view);

}  // namespace posenc::cli

#endif  // POSENC_CLI_NPY_H_
