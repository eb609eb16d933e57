#include "server/base/tensor.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace posenc::server {

std::string ToString(const Shape& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ","), "]");
}

}  // namespace posenc::server
