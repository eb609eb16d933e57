#include "posenc/tensor.h"

#include <new>

#include "absl/strings/str_cat.h"

namespace posenc {
namespace {

// A cache line, and the widest vector register.
constexpr std::align_val_t kAlignment{64};

}  // namespace

std::size_t SizeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
    case DType::kBFloat16:
      return 2;
    case DType::kFloat32:
    case DType::kInt32:
      return 4;
    case DType::kFloat64:
    case DType::kInt64:
      return 8;
  }
  return 0;
}

std::string Name(DType dtype) {
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
  return absl::StrCat("DTYPE_", static_cast<int>(dtype));
}

void Tensor::Free::operator()(std::byte* data) const {
  ::operator delete[](data, kAlignment);
}

Tensor::Tensor(DType dtype, Shape shape, std::size_t bytes)
    : dtype_(dtype),
      shape_(std::move(shape)),
      data_(static_cast<std::byte*>(::operator new[](bytes, kAlignment))),
      size_(bytes) {}

Tensor::Tensor(Tensor&& other) noexcept
    : dtype_(other.dtype_),
      shape_(std::exchange(other.shape_, {})),
      data_(std::move(other.data_)),
      size_(std::exchange(other.size_, 0)) {}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  dtype_ = other.dtype_;
  shape_ = std::exchange(other.shape_, {});
  data_ = std::move(other.data_);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

}  // namespace posenc
