#ifndef POSENC_CLI_EXIT_CODE_H_
#define POSENC_CLI_EXIT_CODE_H_

#include <ostream>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posenc::cli {

// What the command ends with; `posenc --help` documents the numbers.
enum class ExitCode : int {
  kOk = 0,
  kRefused = 1,
  kUsage = 2,
  kUnreachable = 3,
  kCancelled = 130,  // what shells report for an interrupted command
};

// INVALID_ARGUMENT that comes from this side of the wire: a bad option, or a
// file that cannot be read or written.
absl::Status LocalError(absl::string_view message);

ExitCode ExitCodeFor(const absl::Status& status);

// "error: MESSAGE (CODE, REASON)", or {"error": {"code", "message", "reason"}}.
void PrintError(const absl::Status& status, bool json, std::ostream& err);

}  // namespace posenc::cli

#endif  // POSENC_CLI_EXIT_CODE_H_
