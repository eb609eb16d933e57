#include "server/base/tensor.h"

#include <gtest/gtest.h>

namespace posenc::server {
namespace {

TEST(Shape, ReadsLikeAList) {
  EXPECT_EQ(ToString(Shape{2, 5, 16}), "[2,5,16]");
  EXPECT_EQ(ToString(Shape{7}), "[7]");
  EXPECT_EQ(ToString(Shape{}), "[]");
}

}  // namespace
}  // namespace posenc::server
