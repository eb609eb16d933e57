#ifndef POSENC_SERVER_CORE_COLLISION_H_
#define POSENC_SERVER_CORE_COLLISION_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "server/base/dtype.h"
#include "server/core/encodings/encoding.h"

namespace posenc::server {

// Two positions that have equal rows once rounded to a dtype.
struct Collision {
  std::uint64_t position = 0;
  std::uint64_t earlier = 0;
};

// The first position of 0 … positions - 1 whose row equals that of an earlier
// one, if there is one. Costs positions * width element evaluations.
absl::StatusOr<std::optional<Collision>> FindCollision(const Encoding& encoding,
                                                       DType dtype,
                                                       std::uint64_t positions);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_COLLISION_H_
