#include "server/base/dtype.h"

namespace posenc::server {

absl::string_view Name(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "FLOAT32";
    case DType::kFloat16:
      return "FLOAT16";
    case DType::kBFloat16:
      return "BFLOAT16";
    case DType::kFloat64:
      return "FLOAT64";
    case DType::kInt32:
      return "INT32";
    case DType::kInt64:
      return "INT64";
  }
  return "unknown";
}

}  // namespace posenc::server
