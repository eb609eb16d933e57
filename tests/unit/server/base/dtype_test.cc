#include "server/base/dtype.h"

#include <gtest/gtest.h>

namespace posenc::server {
namespace {

TEST(DType, KnowsItsSize) {
  EXPECT_EQ(SizeOf(DType::kFloat32), 4u);
  EXPECT_EQ(SizeOf(DType::kFloat16), 2u);
  EXPECT_EQ(SizeOf(DType::kBFloat16), 2u);
  EXPECT_EQ(SizeOf(DType::kFloat64), 8u);
  EXPECT_EQ(SizeOf(DType::kInt32), 4u);
  EXPECT_EQ(SizeOf(DType::kInt64), 8u);
}

TEST(DType, FloatsIndexTheDispatchTables) {
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64}) {
    EXPECT_TRUE(IsFloat(dtype));
    EXPECT_LT(static_cast<int>(dtype), kFloatDTypes);
  }
  EXPECT_FALSE(IsFloat(DType::kInt32));
  EXPECT_FALSE(IsFloat(DType::kInt64));
}

TEST(DType, HasTheContractsName) {
  EXPECT_EQ(Name(DType::kFloat32), "FLOAT32");
  EXPECT_EQ(Name(DType::kFloat16), "FLOAT16");
  EXPECT_EQ(Name(DType::kBFloat16), "BFLOAT16");
  EXPECT_EQ(Name(DType::kFloat64), "FLOAT64");
  EXPECT_EQ(Name(DType::kInt32), "INT32");
  EXPECT_EQ(Name(DType::kInt64), "INT64");
}

}  // namespace
}  // namespace posenc::server
