#ifndef POSENC_CLI_PNG_WRITER_H_
#define POSENC_CLI_PNG_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "client/cli/image.h"

namespace posenc::cli {

// Errors are local ones (see exit_code.h) and name the file.
absl::Status WritePng(const std::string& path, const Image& image);

}  // namespace posenc::cli

#endif  // POSENC_CLI_PNG_WRITER_H_
