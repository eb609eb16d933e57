#include "client/src/tensor_codec.h"

#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace posenc {

v1::DType ToProto(DType dtype) { return static_cast<v1::DType>(dtype); }

DType FromProto(v1::DType dtype) { return static_cast<DType>(dtype); }

v1::Tensor HeaderToProto(DType dtype, const Shape& shape) {
  v1::Tensor tensor;
  tensor.set_dtype(ToProto(dtype));
  tensor.mutable_shape()->Add(shape.begin(), shape.end());
  return tensor;
}

v1::Tensor ToProto(const TensorView& view) {
  v1::Tensor tensor = HeaderToProto(view.dtype, view.shape);
  tensor.set_data(view.data.data(), view.data.size());
  return tensor;
}

Shape ShapeFromProto(const v1::Tensor& tensor) {
  return Shape(tensor.shape().begin(), tensor.shape().end());
}

std::optional<std::uint64_t> BytesOf(DType dtype, const Shape& shape) {
  std::uint64_t bytes = SizeOf(dtype);
  if (bytes == 0) return std::nullopt;
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

std::string Describe(DType dtype, const Shape& shape) {
  return absl::StrCat(Name(dtype), " [", absl::StrJoin(shape, ","), "]");
}

absl::StatusOr<Tensor> Allocate(DType dtype, Shape shape, std::uint64_t bytes) {
  try {
    return Tensor(dtype, std::move(shape), bytes);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(
        absl::StrCat("there is no memory for a tensor of ", bytes, " bytes"));
  }
}

}  // namespace posenc
