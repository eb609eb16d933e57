#include "server/core/encodings/encoding.h"

#include "server/base/limits.h"

namespace posenc::server {

absl::string_view Name(Op op) {
  switch (op) {
    case Op::kAdd:
      return "add";
  }
  return "unknown";
}

std::int64_t ChunkOf(std::int64_t position) {
  return position / kChunkRows - (position % kChunkRows < 0 ? 1 : 0);
}

}  // namespace posenc::server
