#include "posenc/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace posenc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DType, SizesAndNames) {
  EXPECT_EQ(SizeOf(DType::kFloat32), 4u);
  EXPECT_EQ(SizeOf(DType::kFloat16), 2u);
  EXPECT_EQ(SizeOf(DType::kBFloat16), 2u);
  EXPECT_EQ(SizeOf(DType::kFloat64), 8u);
  EXPECT_EQ(SizeOf(DType::kInt32), 4u);
  EXPECT_EQ(SizeOf(DType::kInt64), 8u);
  EXPECT_EQ(SizeOf(static_cast<DType>(9)), 0u);
  EXPECT_EQ(Name(DType::kFloat32), "FLOAT32");
  EXPECT_EQ(Name(DType::kFloat16), "FLOAT16");
  EXPECT_EQ(Name(DType::kBFloat16), "BFLOAT16");
  EXPECT_EQ(Name(DType::kFloat64), "FLOAT64");
  EXPECT_EQ(Name(DType::kInt32), "INT32");
  EXPECT_EQ(Name(DType::kInt64), "INT64");
  EXPECT_EQ(Name(static_cast<DType>(9)), "DTYPE_9");
}

TEST(Tensor, IsAlignedAndHoldsItsBytes) {
  for (const std::size_t bytes : {0, 1, 12, 4097, (2 << 20) + 1, 5 << 20}) {
    Tensor tensor(DType::kFloat32, {bytes}, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.bytes().data()) % 64, 0u);
    ASSERT_EQ(tensor.mutable_bytes().size(), bytes);
    for (std::byte& byte : tensor.mutable_bytes()) byte = std::byte{7};
  }
}

TEST(Tensor, ValuesAreOfItsDtypeOnly) {
  Tensor tensor(DType::kFloat32, {1, 2}, 8);
  const float values[] = {1.5f, -2.0f};
  std::memcpy(tensor.mutable_bytes().data(), values, sizeof(values));
  EXPECT_THAT(tensor.values<float>(), ElementsAre(1.5f, -2.0f));
  EXPECT_THAT(tensor.values<double>(), IsEmpty());
  EXPECT_THAT(tensor.values<std::int32_t>(), IsEmpty());
}

TEST(Tensor, MovedFromIsEmpty) {
  Tensor from(DType::kFloat64, {3}, 24);
  const std::byte* const data = from.bytes().data();
  Tensor to(std::move(from));
  EXPECT_EQ(to.bytes().data(), data);
  EXPECT_THAT(from.bytes(), IsEmpty());  // NOLINT(bugprone-use-after-move)
  EXPECT_THAT(from.shape(), IsEmpty());
  from = std::move(to);
  EXPECT_EQ(from.dtype(), DType::kFloat64);
  EXPECT_THAT(from.shape(), ElementsAre(3));
  EXPECT_EQ(from.bytes().size(), 24u);
  EXPECT_THAT(to.values<double>(),
              IsEmpty());  // NOLINT(bugprone-use-after-move)
}

TEST(Tensor, DefaultIsEmpty) {
  EXPECT_THAT(Tensor().bytes(), IsEmpty());
  EXPECT_THAT(Tensor().values<float>(), IsEmpty());
}

TEST(Tensor, MoreThanThereIsThrows) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer ends the process instead of throwing";
#endif
  for (const std::size_t bytes : {std::size_t{1} << 60, ~std::size_t{0}}) {
    EXPECT_THROW(Tensor(DType::kFloat32, {}, bytes), std::bad_alloc);
  }
}

TEST(SegmentedTensor, CopiesShareTheBytesAndKeepThemAlive) {
  auto owner = std::make_shared<const std::string>("abcdefgh");
  const std::weak_ptr<const std::string> watched = owner;
  const auto bytes = std::as_bytes(std::span(*owner));
  SegmentedTensor tensor(DType::kFloat16, {2, 2},
                         {bytes.subspan(0, 3), bytes.subspan(3)},
                         std::move(owner));
  const SegmentedTensor copy = tensor;
  tensor = SegmentedTensor();
  EXPECT_EQ(tensor.size_bytes(), 0u);
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(copy.size_bytes(), 8u);
  std::string target(8, '.');
  EXPECT_TRUE(copy.CopyTo(std::as_writable_bytes(std::span(target))).ok());
  EXPECT_EQ(target, "abcdefgh");
}

TEST(SegmentedTensor, CopyToOtherSizesWritesNothing) {
  const std::string source = "abcd";
  const SegmentedTensor tensor(DType::kFloat16, {2},
                               {std::as_bytes(std::span(source))}, nullptr);
  for (const std::size_t size : {0, 3, 5}) {
    std::string target(size, '.');
    const absl::Status status =
        tensor.CopyTo(std::as_writable_bytes(std::span(target)));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              "the caller's output has " + std::to_string(size) +
                  " bytes but the result, FLOAT16 [2], has 4");
    EXPECT_EQ(target, std::string(size, '.'));
  }
}

TEST(TensorView, TakesDtypeFromTheValues) {
  const std::vector<std::int64_t> ids = {1, 2};
  const TensorView view{std::span(ids), {1, 2}};
  EXPECT_EQ(view.dtype, DType::kInt64);
  EXPECT_THAT(view.shape, ElementsAre(1, 2));
  EXPECT_EQ(static_cast<const void*>(view.data.data()), ids.data());
  EXPECT_EQ(view.data.size(), 16u);
}

TEST(SharedTensor, TakesOverAVector) {
  std::vector<double> values = {1, 2, 3};
  const double* const data = values.data();
  const SharedTensor tensor = SharedTensor::FromVector(std::move(values), {3});
  EXPECT_EQ(tensor.dtype, DType::kFloat64);
  EXPECT_EQ(static_cast<const void*>(tensor.data.data()), data);
  EXPECT_EQ(tensor.data.size(), 24u);
  EXPECT_NE(tensor.owner, nullptr);
}

}  // namespace
}  // namespace posenc
