#include "server/core/encodings/encoding.h"

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {

absl::string_view Name(Op op) {
  switch (op) {
    case Op::kAdd:
      return "add";
    case Op::kRotate:
      return "rotate";
    case Op::kNone:
      return "none";
  }
  return "unknown";
}

absl::Status Encoding::BuildRowAt(std::span<const double> coordinates,
                                  std::span<double>) const {
  return Invalid("POSITIONS_SHAPE",
                 absl::StrCat("a position has ", coordinates.size(),
                              " numbers, but those of this encoding have one"));
}

std::int64_t ChunkOf(std::int64_t position) {
  return position / kChunkRows - (position % kChunkRows < 0 ? 1 : 0);
}

}  // namespace posenc::server
