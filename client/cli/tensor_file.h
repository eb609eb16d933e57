#ifndef POSENC_CLI_TENSOR_FILE_H_
#define POSENC_CLI_TENSOR_FILE_H_

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "client/cli/preview.h"
#include "posenc/tensor.h"

namespace posenc::cli {

// Writes a result to the .npy file `path`, if that is not empty; says on `err`
// when its type there is not its own.
absl::Status SaveTensor(const std::string& path, const posenc::TensorView& view,
                        std::ostream& err);

// Says what a result is, and shows it, or where it has been written to.
void PrintTensor(absl::string_view name, const posenc::TensorView& view,
                 const std::string& path, const PreviewSize& preview,
                 std::ostream& out);

}  // namespace posenc::cli

#endif  // POSENC_CLI_TENSOR_FILE_H_
