#ifndef POSENC_SERVER_CORE_FORMATS_NPY_H_
#define POSENC_SERVER_CORE_FORMATS_NPY_H_

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/formats/table_format.h"

namespace posenc::server {

// The one, nameless tensor of a .npy file of version 1.0, 2.0 or 3.0. The
// format is that of NumPy's documentation of numpy.lib.format: magic, version,
// size of the header, a Python dict as the header, and the data.
//
// INVALID_ARGUMENT, in words about the file, if a part is missing, a number is
// wrong, the file does not end where the data does, the order is Fortran's, the
// dtype is none of ours (<f4, <f2, <f8, <i4, <i8), or there are more than
// kMaxNpyHeaderBytes or kMaxRank.
absl::StatusOr<std::vector<NamedTensor>> ParseNpy(
    std::span<const std::byte> file);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_FORMATS_NPY_H_
