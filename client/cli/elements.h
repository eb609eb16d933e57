#ifndef POSENC_CLI_ELEMENTS_H_
#define POSENC_CLI_ELEMENTS_H_

#include <cstddef>
#include <string>

#include "posenc/tensor.h"

namespace posenc::cli {

posenc::TensorView ViewOf(const posenc::Tensor& tensor);
posenc::TensorView ViewOf(const posenc::SharedTensor& tensor);

// Number of elements that the bytes hold.
std::size_t ElementCount(const posenc::TensorView& view);

// Element number `index`, exactly (an integer: rounded to double).
double ElementAt(const posenc::TensorView& view, std::size_t index);

// A double that is written with as few digits as name the element among those
// of its type: 0.1 for the float32 nearest to it. (float16 and bfloat16 are
// taken as the float32 they equal.)
double ShortElementAt(const posenc::TensorView& view, std::size_t index);

// "[2, 100, 512]".
std::string ShapeText(const posenc::Shape& shape);

}  // namespace posenc::cli

#endif  // POSENC_CLI_ELEMENTS_H_
