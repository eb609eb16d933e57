#include "client/cli/npy_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace posenc::cli {
namespace {

using testing::HasSubstr;

TEST(NpyHeaderTest, ReadsWhatNumPyWrites) {
  const auto header = ParseNpyHeader(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }   \n");
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->descr, "<f4");
  EXPECT_FALSE(header->fortran_order);
  EXPECT_EQ(header->shape, (posenc::Shape{2, 3, 4}));
}

TEST(NpyHeaderTest, ReadsOtherSpellingsOfTheSameDict) {
  const auto header = ParseNpyHeader(
      "{ \"shape\":(5,),\"fortran_order\" : True,'descr':'<i8'}");
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->descr, "<i8");
  EXPECT_TRUE(header->fortran_order);
  EXPECT_EQ(header->shape, (posenc::Shape{5}));
}

TEST(NpyHeaderTest, ReadsAScalarsShape) {
  const auto header =
      ParseNpyHeader("{'descr':'<f4','fortran_order':False,'shape':()}");
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_TRUE(header->shape.empty());
}

struct BadHeader {
  const char* text;
  const char* complaint;
};

class BadNpyHeaderTest : public testing::TestWithParam<BadHeader> {};

TEST_P(BadNpyHeaderTest, IsRefused) {
  const auto header = ParseNpyHeader(GetParam().text);
  ASSERT_FALSE(header.ok()) << GetParam().text;
  EXPECT_EQ(header.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(header.status().message()),
              HasSubstr(GetParam().complaint))
      << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadNpyHeaderTest,
    testing::Values(
        BadHeader{"", "lacks"}, BadHeader{"{}", "lacks"},
        BadHeader{"{'descr': '<f4', 'fortran_order': False}", "lacks"},
        BadHeader{"{'descr': '<f4' 'fortran_order': False}", "not a dict"},
        BadHeader{"{'descr' '<f4'}", "not a dict"},
        BadHeader{"{'descr", "not a dict"}, BadHeader{"{", "not a dict"},
        BadHeader{"['descr']", "not one dict alone"},
        BadHeader{"{'descr':'<f4','fortran_order':False,'shape':(1,)} x",
                  "not one dict alone"},
        BadHeader{"{'descr':'<f4','descr':'<f8'}", "descr is twice"},
        BadHeader{"{'shape':(1,),'shape':(1,)}", "shape is twice"},
        BadHeader{"{'version':'1'}", "unknown key 'version'"},
        BadHeader{"{'descr':[('a','<f4')]}", "descr has a value"},
        BadHeader{"{'fortran_order':0}", "fortran_order has a value"},
        BadHeader{"{'shape':(3)}", "shape has a value"},
        BadHeader{"{'shape':[3,4]}", "shape has a value"},
        BadHeader{"{'shape':(-3,4)}", "shape has a value"},
        BadHeader{"{'shape':(3 4)}", "shape has a value"},
        BadHeader{"{'shape':(3,,4)}", "shape has a value"},
        BadHeader{"{'shape':(,)}", "shape has a value"},
        BadHeader{"{'shape':(3.5,)}", "shape has a value"},
        BadHeader{"{'shape':(99999999999999999999,)}", "shape has a value"},
        BadHeader{"{'shape':(3,", "shape has a value"}));

TEST(NpyHeaderTest, RefusesTooManyDimensions) {
  std::string text = "{'shape':(";
  for (int i = 0; i < 33; ++i) text += "1,";
  EXPECT_FALSE(ParseNpyHeader(text + ")}").ok());
}

TEST(NpyHeaderTest, WritesAlignedPrefixThatReadsBack) {
  for (const posenc::Shape& shape :
       {posenc::Shape{}, posenc::Shape{7}, posenc::Shape{2, 100, 512}}) {
    const std::string prefix = NpyPrefix({"<f4", false, shape});
    EXPECT_EQ(prefix.size() % 64, 0u);
    EXPECT_EQ(prefix.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    EXPECT_EQ(static_cast<unsigned char>(prefix[8]) +
                  256u * static_cast<unsigned char>(prefix[9]),
              prefix.size() - 10);
    EXPECT_EQ(prefix.back(), '\n');
    const auto header = ParseNpyHeader(prefix.substr(10));
    ASSERT_TRUE(header.ok()) << header.status();
    EXPECT_EQ(header->shape, shape);
  }
}

}  // namespace
}  // namespace posenc::cli
