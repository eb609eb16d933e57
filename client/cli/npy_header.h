#ifndef POSENC_CLI_NPY_HEADER_H_
#define POSENC_CLI_NPY_HEADER_H_

// The header of a .npy file, after NumPy's description of the format
// (numpy.lib.format): a Python dict of descr, fortran_order and shape.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "posenc/tensor.h"

namespace posenc::cli {

struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  posenc::Shape shape;
};

// Reads the dict alone, without magic and length. INVALID_ARGUMENT for
// anything but the three keys, each once, with values of their types.
absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view text);

// The first bytes of a file of version 1.0, a multiple of 64 of them: magic,
// length and dict.
std::string NpyPrefix(const NpyHeader& header);

}  // namespace posenc::cli

#endif  // POSENC_CLI_NPY_HEADER_H_
