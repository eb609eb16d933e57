#include "client/src/rows_assembly.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/src/tensor_codec.h"

namespace posenc {

absl::StatusOr<RowsAssembly> RowsAssembly::Create(DType dtype,
                                                  std::uint64_t rows,
                                                  std::uint64_t d_model,
                                                  Progress progress) {
  Shape shape = {rows, d_model};
  const auto bytes = BytesOf(dtype, shape);
  if (!bytes) {
    return absl::InternalError(absl::StrCat("the server announces ",
                                            Describe(dtype, shape),
                                            ", which is no possible tensor"));
  }
  absl::StatusOr<Tensor> tensor = Allocate(dtype, std::move(shape), *bytes);
  if (!tensor.ok()) return tensor.status();
  return RowsAssembly(*std::move(tensor), std::move(progress));
}

RowsAssembly::RowsAssembly(Tensor tensor, Progress progress)
    : tensor_(std::move(tensor)), progress_(std::move(progress)) {}

absl::Status RowsAssembly::Add(const v1::Tensor& piece) {
  const DType dtype = FromProto(piece.dtype());
  const Shape shape = ShapeFromProto(piece);
  const std::string& data = piece.data();
  const std::size_t total = tensor_.bytes().size();
  if (dtype != tensor_.dtype() || shape.size() != 2 ||
      shape[1] != tensor_.shape()[1] || BytesOf(dtype, shape) != data.size() ||
      data.size() > total - filled_) {
    return absl::InternalError(absl::StrCat(
        "the server sent ", Describe(dtype, shape), " in ", data.size(),
        " bytes where ", total - filled_, " bytes of ",
        Describe(tensor_.dtype(), tensor_.shape()), " were to come"));
  }
  const auto bytes = std::as_bytes(std::span(data));
  std::ranges::copy(bytes, tensor_.mutable_bytes().begin() + filled_);
  filled_ += data.size();
  if (progress_) progress_(filled_, total);
  return absl::OkStatus();
}

absl::StatusOr<Tensor> RowsAssembly::Finish() && {
  if (filled_ != tensor_.bytes().size()) {
    return absl::InternalError(absl::StrCat(
        "the server sent ", filled_, " bytes of the ", tensor_.bytes().size(),
        " of ", Describe(tensor_.dtype(), tensor_.shape())));
  }
  return std::move(tensor_);
}

}  // namespace posenc
