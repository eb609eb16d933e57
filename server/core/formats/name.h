#ifndef POSENC_SERVER_CORE_FORMATS_NAME_H_
#define POSENC_SERVER_CORE_FORMATS_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace posenc::server {

// Whether a table may have this name: valid UTF-8 of 1 to kMaxNameBytes bytes
// without control characters.
bool IsTableName(absl::string_view name);

// Text of unknown origin in quotes, fit for an error message: valid UTF-8 of
// about kMaxNameBytes bytes at most, where "…" stands for what is left out;
// bytes that are no UTF-8 and control characters are shown as \xNN.
std::string Quoted(absl::string_view text);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_FORMATS_NAME_H_
