#include "server/core/encodings/encoding.h"

namespace posenc::server {

absl::string_view Name(Op op) {
  switch (op) {
    case Op::kAdd:
      return "add";
  }
  return "unknown";
}

}  // namespace posenc::server
