#ifndef POSENC_TESTS_SUPPORT_TENSOR_BYTES_H_
#define POSENC_TESTS_SUPPORT_TENSOR_BYTES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "server/base/tensor.h"

namespace posenc::testing {

// The view of values that the caller keeps.
template <typename T>
server::TensorView View(server::DType dtype, server::Shape shape,
                        const std::vector<T>& values) {
  return {dtype, std::move(shape), {std::as_bytes(std::span(values))}};
}

}  // namespace posenc::testing

#endif  // POSENC_TESTS_SUPPORT_TENSOR_BYTES_H_
