#include "posenc/tensor.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"
#include "client/src/tensor_codec.h"

namespace posenc {
namespace {

// A cache line, and the widest vector register.
constexpr std::size_t kAlignment = 64;

constexpr std::size_t kHugePageBytes = 2 << 20;

// Memory that is fresh from the system costs a page fault a page, more than
// filling it does; huge pages make those few.
std::byte* AllocateBytes(std::size_t bytes) {
  const bool huge = bytes >= kHugePageBytes;
  const std::size_t alignment = huge ? kHugePageBytes : kAlignment;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const data =
      rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded);
  if (data == nullptr) throw std::bad_alloc();
  // Only advice: nothing is lost if the system does not take it.
  if (huge) madvise(data, rounded, MADV_HUGEPAGE);
  return static_cast<std::byte*>(data);
}

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

void Tensor::Free::operator()(std::byte* data) const { std::free(data); }

Tensor::Tensor(DType dtype, Shape shape, std::size_t bytes)
    : dtype_(dtype),
      shape_(std::move(shape)),
      data_(AllocateBytes(bytes)),
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

SegmentedTensor::SegmentedTensor(
    DType dtype, Shape shape, std::vector<std::span<const std::byte>> segments,
    std::shared_ptr<const void> owner)
    : dtype_(dtype),
      shape_(std::move(shape)),
      segments_(std::move(segments)),
      owner_(std::move(owner)) {}

std::size_t SegmentedTensor::size_bytes() const {
  std::size_t bytes = 0;
  for (const auto segment : segments_) bytes += segment.size();
  return bytes;
}

absl::Status SegmentedTensor::CopyTo(std::span<std::byte> target) const {
  if (const std::size_t bytes = size_bytes(); target.size() != bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the caller's output has ", target.size(), " bytes but the result, ",
        Describe(dtype_, shape_), ", has ", bytes));
  }
  for (const auto segment : segments_) {
    std::memcpy(target.data(), segment.data(), segment.size());
    target = target.subspan(segment.size());
  }
  return absl::OkStatus();
}

}  // namespace posenc
