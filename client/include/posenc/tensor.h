#ifndef POSENC_TENSOR_H_
#define POSENC_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace posenc {

// Element types. FLOAT16 is IEEE 754 binary16, BFLOAT16 the upper half of a
// binary32. Token ids, positions and lengths are kInt32 or kInt64.
enum class DType {
  kFloat32 = 1,
  kFloat16 = 2,
  kBFloat16 = 3,
  kFloat64 = 4,
  kInt32 = 5,
  kInt64 = 6,
};

// Bytes of an element; 0 for a value that is none of the above.
std::size_t SizeOf(DType dtype);

// "FLOAT32", as the contract writes it; "DTYPE_9" for a value that is none of
// the above.
std::string Name(DType dtype);

// Extent of each dimension, outermost first.
using Shape = std::vector<std::uint64_t>;

// The DType of a C++ type. Types without one (half precision has no standard
// C++20 type) are given as bytes, with their DType beside them.
template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::kFloat32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::kFloat64;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType value = DType::kInt32;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType value = DType::kInt64;
};

// A tensor that somebody else owns: row-major, little-endian, without padding.
// The bytes must stay alive and unchanged until the call that takes the view
// returns; the library copies them once.
struct TensorView {
  DType dtype = DType::kFloat32;
  Shape shape;
  std::span<const std::byte> data;

  TensorView() = default;
  // Bytes of any dtype.
  TensorView(DType dtype_in, Shape shape_in, std::span<const std::byte> data_in)
      : dtype(dtype_in), shape(std::move(shape_in)), data(data_in) {}
  // Values of a type that has a dtype.
  template <typename T>
  TensorView(std::span<const T> values, Shape shape_in)
      : dtype(DTypeOf<T>::value),
        shape(std::move(shape_in)),
        data(std::as_bytes(values)) {}
};

// A tensor whose bytes are shared and never change, so that they can be sent
// without a copy: gRPC may hold on to them after the call has returned (after a
// deadline, say), and lets `owner` go when it is done, from a thread of its
// own. A call refuses data without an owner with INVALID_ARGUMENT.
struct SharedTensor {
  DType dtype = DType::kFloat32;
  Shape shape;
  std::shared_ptr<const void> owner;
  std::span<const std::byte> data;

  // Takes over a vector of values.
  template <typename T>
  static SharedTensor FromVector(std::vector<T> values, Shape shape) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    const std::span<const T> view(*owner);
    return {DTypeOf<T>::value, std::move(shape), std::move(owner),
            std::as_bytes(view)};
  }
};

// A tensor that the library made: row-major, little-endian, 64-byte aligned;
// one of 2 MiB or more is in huge pages where the system grants them.
// Move-only; a moved-from one is empty.
class Tensor {
 public:
  // FLOAT32, without dimensions or bytes.
  Tensor() = default;
  // Uninitialised bytes. Throws std::bad_alloc when there is no memory.
  Tensor(DType dtype, Shape shape, std::size_t bytes);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor() = default;

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }
  std::span<std::byte> mutable_bytes() { return {data_.get(), size_}; }

  // The elements, if T is the C++ type of dtype(); an empty span otherwise.
  template <typename T>
  std::span<const T> values() const {
    if (DTypeOf<T>::value != dtype_) return {};
    return {reinterpret_cast<const T*>(data_.get()), size_ / sizeof(T)};
  }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  DType dtype_ = DType::kFloat32;
  Shape shape_;
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t size_ = 0;
};

// A tensor that the library received, in the pieces in which it came off the
// wire: row-major, little-endian, without padding. Pieces have any size and
// alignment, so an element may start in one and end in the next. Copies share
// the bytes, which never change and live as long as one of them; any number of
// threads may read.
class SegmentedTensor {
 public:
  // FLOAT32, without dimensions or bytes.
  SegmentedTensor() = default;
  // `owner` keeps what the segments point to alive.
  SegmentedTensor(DType dtype, Shape shape,
                  std::vector<std::span<const std::byte>> segments,
                  std::shared_ptr<const void> owner);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  // None of them empty.
  const std::vector<std::span<const std::byte>>& segments() const {
    return segments_;
  }
  // Of all segments together.
  std::size_t size_bytes() const;

  // Copies all bytes. INVALID_ARGUMENT with both sizes, and nothing is written,
  // unless `target` has exactly size_bytes().
  absl::Status CopyTo(std::span<std::byte> target) const;

 private:
  DType dtype_ = DType::kFloat32;
  Shape shape_;
  std::vector<std::span<const std::byte>> segments_;
  std::shared_ptr<const void> owner_;
};

}  // namespace posenc

#endif  // POSENC_TENSOR_H_
