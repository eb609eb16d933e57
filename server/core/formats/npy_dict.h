#ifndef POSENC_SERVER_CORE_FORMATS_NPY_DICT_H_
#define POSENC_SERVER_CORE_FORMATS_NPY_DICT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/base/tensor.h"

namespace posenc::server {

// The header of a .npy file.
struct NpyDict {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  Shape shape;
};

// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } with its
// three keys in any order and spaces anywhere between. INVALID_ARGUMENT if it
// is anything else (such as a list for a descr, which stands for a structured
// dtype), has a key twice, or more than kMaxRank dimensions.
absl::StatusOr<NpyDict> ParseNpyDict(absl::string_view text);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_FORMATS_NPY_DICT_H_
