#ifndef POSENC_CLIENT_SRC_TENSOR_CODEC_H_
#define POSENC_CLIENT_SRC_TENSOR_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "posenc/tensor.h"
#include "posenc/v1/encoding.pb.h"

namespace posenc {

v1::DType ToProto(DType dtype);

// A number that this version does not know stays as it is; SizeOf gives 0 for
// it.
DType FromProto(v1::DType dtype);

// Copies the bytes.
v1::Tensor ToProto(const TensorView& view);

// dtype and shape, without data.
v1::Tensor HeaderToProto(DType dtype, const Shape& shape);

Shape ShapeFromProto(const v1::Tensor& tensor);

// product(shape) * SizeOf(dtype), or nothing if that overflows or the dtype is
// not known.
std::optional<std::uint64_t> BytesOf(DType dtype, const Shape& shape);

// "FLOAT32 [2,100,512]".
std::string Describe(DType dtype, const Shape& shape);

// A tensor to fill. RESOURCE_EXHAUSTED if there is no memory for it.
absl::StatusOr<Tensor> Allocate(DType dtype, Shape shape, std::uint64_t bytes);

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_TENSOR_CODEC_H_
