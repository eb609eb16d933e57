#include "server/core/encodings/scaled.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "server/core/encodings/registry.h"
#include "server/core/encodings/sinusoidal.h"

namespace posenc::server {
namespace {

EncodingRecipe RecipeOf(const EncodingSpec& spec) {
  return *FindRecipe(spec, EmbeddingStore());
}

TEST(Scaled, RowsAreMultiplied) {
  const auto plain = std::make_shared<Sinusoidal>(EncodingSpec{.d_model = 6});
  const Scaled scaled(-0.75, plain);
  std::vector<double> row(12), wanted(12);
  ASSERT_TRUE(scaled.BuildRows(5, row).ok());
  ASSERT_TRUE(plain->BuildRows(5, wanted).ok());
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_EQ(row[i], -0.75 * wanted[i]);
  }
  row.resize(6);
  wanted.resize(6);
  ASSERT_TRUE(scaled.BuildRow(2.5, row).ok());
  ASSERT_TRUE(plain->BuildRow(2.5, wanted).ok());
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_EQ(row[i], -0.75 * wanted[i]);
  }
}

TEST(Scaled, TheSpecsFactorIsApplied) {
  std::vector<double> row(8), plain(8);
  ASSERT_TRUE(RecipeOf({.d_model = 8}).make()->BuildRows(3, plain).ok());
  ASSERT_TRUE(RecipeOf({.d_model = 8,
                        .encoding_scale = EncodingScale::kSqrtTwoOverDModel})
                  .make()
                  ->BuildRows(3, row)
                  .ok());
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_EQ(row[i], 0.5 * plain[i]);
  }
}

TEST(Scaled, EqualFactorsHaveEqualKeys) {
  const EncodingSpec half{.d_model = 8, .encoding_factor = 0.5};
  const EncodingSpec rule{.d_model = 8,
                          .encoding_scale = EncodingScale::kSqrtTwoOverDModel};
  EXPECT_EQ(RecipeOf(half).key, RecipeOf(rule).key);
  EXPECT_EQ(RecipeOf({.d_model = 8, .encoding_factor = 1}).key,
            RecipeOf({.d_model = 8}).key);
  EXPECT_NE(RecipeOf({.d_model = 8, .encoding_factor = -0.5}).key,
            RecipeOf(half).key);
}

// Of values of up to |f|, a format's half ulp is at most |f| times its half ulp
// just below 1, doubled where f is no power of two.
TEST(Scaled, BoundsItsError) {
  const auto plain = std::make_shared<Sinusoidal>(EncodingSpec{.d_model = 6});
  EXPECT_GE(*Scaled(3, plain).MaxError(DType::kFloat32),
            0x1p-23);  // of 2 … 3
  EXPECT_LE(*Scaled(3, plain).MaxError(DType::kFloat32), 0x1p-22);
  EXPECT_EQ(*Scaled(1e-30, plain).MaxError(DType::kFloat16), 0x1p-25);
  EXPECT_EQ(*Scaled(-3, plain).MaxError(DType::kFloat32),
            *Scaled(3, plain).MaxError(DType::kFloat32));
}

}  // namespace
}  // namespace posenc::server
