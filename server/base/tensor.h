#ifndef POSENC_SERVER_BASE_TENSOR_H_
#define POSENC_SERVER_BASE_TENSOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/base/dtype.h"
#include "server/base/segments.h"

namespace posenc::server {

using Shape = std::vector<std::uint64_t>;

// "[2,5,16]".
std::string ToString(const Shape& shape);

// A tensor inside a message: row-major, not yet checked. Non-owning.
struct TensorView {
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<Segment> data;
};

// A matrix in host memory, row-major and contiguous. `owner` keeps `data`
// alive.
struct HostTable {
  DType dtype = DType::kFloat64;
  std::uint64_t rows = 0;
  std::uint64_t width = 0;
  const std::byte* data = nullptr;
  std::shared_ptr<const void> owner;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_BASE_TENSOR_H_
