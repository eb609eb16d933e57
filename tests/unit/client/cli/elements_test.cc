#include "client/cli/elements.h"

#include <cmath>
#include <limits>

#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

template <typename T>
double Element(T value, posenc::DType dtype) {
  return ElementAt({dtype, {1}, std::as_bytes(std::span(&value, 1))}, 0);
}

TEST(ElementsTest, ReadsFloat16) {
  const auto element = [](std::uint16_t bits) {
    return Element(bits, posenc::DType::kFloat16);
  };
  EXPECT_EQ(element(0x3C00), 1.0);
  EXPECT_EQ(element(0xC000), -2.0);
  EXPECT_EQ(element(0x3555), 0.333251953125);
  EXPECT_EQ(element(0x7BFF), 65504.0);
  EXPECT_EQ(element(0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(element(0x03FF), std::ldexp(1023.0, -24));
  EXPECT_EQ(element(0x0400), std::ldexp(1.0, -14));
  EXPECT_EQ(element(0x7C00), HUGE_VAL);
  EXPECT_EQ(element(0xFC00), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(element(0x7E00)));
  EXPECT_TRUE(std::signbit(element(0x8000)));
}

TEST(ElementsTest, ReadsOtherTypes) {
  EXPECT_EQ(Element(std::uint16_t{0x4049}, posenc::DType::kBFloat16), 3.140625);
  EXPECT_EQ(Element(0.1F, posenc::DType::kFloat32), double{0.1F});
  EXPECT_EQ(Element(0.1, posenc::DType::kFloat64), 0.1);
  EXPECT_EQ(Element(std::int32_t{-7}, posenc::DType::kInt32), -7.0);
  EXPECT_EQ(Element(std::int64_t{1} << 40, posenc::DType::kInt64),
            std::ldexp(1.0, 40));
}

TEST(ElementsTest, ShortElementsNameTheSameFloat) {
  const std::vector<float> values = {0.1F, 1e-45F, 3.4028235e38F, -0.0F,
                                     0.84147098F};
  const posenc::TensorView view{std::span(values), {values.size()}};
  EXPECT_EQ(ShortElementAt(view, 0), 0.1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(static_cast<float>(ShortElementAt(view, i)), values[i]);
  }
}

TEST(ElementsTest, CountsAndShapes) {
  const std::vector<float> values(6);
  EXPECT_EQ(ElementCount({std::span(values), {2, 3}}), 6u);
  EXPECT_EQ(ShapeText({2, 100, 512}), "[2, 100, 512]");
  EXPECT_EQ(ShapeText({}), "[]");
}

}  // namespace
}  // namespace posenc::cli
