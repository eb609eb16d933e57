#include "server/core/payload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "server/base/error.h"
#include "server/base/limits.h"
#include "tests/support/tensor_bytes.h"

namespace posenc::server {
namespace {

using ::posenc::testing::View;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
void ExpectInvalid(const absl::StatusOr<T>& result, const std::string& reason,
                   const std::string& message) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(result.status()), reason);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr(message));
}

TEST(CheckPayload, CountsElements) {
  const std::vector<float> values(24);
  const auto elements =
      CheckPayload(View(DType::kFloat32, {2, 3, 4}, values), "embeddings");
  ASSERT_TRUE(elements.ok()) << elements.status();
  EXPECT_EQ(*elements, 24u);
}

TEST(CheckPayload, RefusesAnotherSizeWithBothNumbers) {
  const std::vector<float> values(23);
  ExpectInvalid(CheckPayload(View(DType::kFloat32, {2, 3, 4}, values), "x"),
                "PAYLOAD_SIZE",
                "x are [2,3,4] of FLOAT32, which is 96 bytes, but the payload "
                "has 92");
}

TEST(CheckPayload, RefusesZeroDimensions) {
  ExpectInvalid(CheckPayload(View<float>(DType::kFloat32, {2, 0, 4}, {}), "x"),
                "EMPTY_DIMENSION", "x are [2,0,4]");
}

TEST(CheckPayload, RefusesProductsThatOverflow) {
  constexpr std::uint64_t kBig = std::uint64_t{1} << 32;
  // The elements fit 64 bits, their bytes do not; then not even the elements.
  ExpectInvalid(
      CheckPayload(View<float>(DType::kFloat32, {kBig, kBig / 2}, {}), "x"),
      "SHAPE_OVERFLOW", "more than 2^64 bytes");
  ExpectInvalid(
      CheckPayload(View<float>(DType::kFloat32, {kBig, kBig, 4}, {}), "x"),
      "SHAPE_OVERFLOW", "more than 2^64 bytes");
}

TEST(ReadIntegers, ReadsElementsThatStraddleSegments) {
  const std::vector<std::int64_t> values = {
      1, -2, std::numeric_limits<std::int64_t>::min()};
  const auto bytes = std::as_bytes(std::span(values));
  const TensorView cut{
      DType::kInt64,
      {3},
      {bytes.first(3), bytes.subspan(3, 10), {}, bytes.subspan(13)}};
  const auto read = ReadIntegers(cut, "ids");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, values);
}

TEST(ReadIntegers, WidensAndRefusesOtherTypes) {
  const std::vector<std::int32_t> values = {7, -1};
  const auto read = ReadIntegers(View(DType::kInt32, {2}, values), "ids");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(*read, ElementsAre(7, -1));
  ExpectInvalid(ReadIntegers(View(DType::kFloat32, {2}, values), "ids"),
                "DTYPE", "ids are FLOAT32, but must be INT32 or INT64");
}

TEST(ReadPositions, TakesIntegersAndFractions) {
  const auto integers = ReadPositions(
      View(DType::kInt64, {2}, std::vector<std::int64_t>{-5, kMaxPosition}),
      "p");
  ASSERT_TRUE(integers.ok()) << integers.status();
  EXPECT_THAT(*integers, ElementsAre(-5, 0x1p53));
  const auto reals = ReadPositions(
      View(DType::kFloat64, {2}, std::vector<double>{0.5, -1e9}), "p");
  ASSERT_TRUE(reals.ok()) << reals.status();
  EXPECT_THAT(*reals, ElementsAre(0.5, -1e9));
}

TEST(ReadPositions, RefusesWhatIsNoPosition) {
  const auto read = [](double value) {
    const std::vector<double> values = {0, value};
    return ReadPositions(View(DType::kFloat64, {2}, values), "p");
  };
  ExpectInvalid(read(std::numeric_limits<double>::quiet_NaN()), "NON_FINITE",
                "p has nan at index 1");
  ExpectInvalid(read(-std::numeric_limits<double>::infinity()), "NON_FINITE",
                "p has -inf at index 1");
  ExpectInvalid(read(1e300), "POSITION_OUT_OF_BOUNDS", "p has 1e+300");
  ExpectInvalid(ReadPositions(View(DType::kInt64, {1},
                                   std::vector<std::int64_t>{kMaxPosition + 2}),
                              "p"),
                "POSITION_OUT_OF_BOUNDS", "p has 9007199254740994");
  ExpectInvalid(
      ReadPositions(View(DType::kFloat16, {1}, std::vector<std::int16_t>{0}),
                    "p"),
      "DTYPE", "INT32, INT64 or FLOAT64");
}

}  // namespace
}  // namespace posenc::server
