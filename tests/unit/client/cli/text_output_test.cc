#include "client/cli/text_output.h"

#include <gtest/gtest.h>

#include <sstream>

namespace posenc::cli {
namespace {

TEST(TextOutputTest, Bytes) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(1536), "1.5 KiB");
  EXPECT_EQ(BytesText(std::uint64_t{1} << 30), "1.0 GiB");
  EXPECT_EQ(BytesText(UINT64_MAX), "16777216.0 TiB");
}

TEST(TextOutputTest, Numbers) {
  EXPECT_EQ(NumberText(1), "1");
  EXPECT_EQ(NumberText(0.000103663293), "0.000103663");
}

TEST(TextOutputTest, Fields) {
  std::ostringstream out;
  PrintField("dtype", "FLOAT32", out);
  EXPECT_EQ(out.str(), "dtype         FLOAT32\n");
}

TEST(TextOutputTest, ColumnsOfText) {
  std::ostringstream out;
  PrintTable({{"name", "x"}, {{"größe", "1"}, {"a", "22"}}}, out);
  EXPECT_EQ(out.str(),
            "name   x\n"
            "größe  1\n"
            "a      22\n");
}

TEST(TextOutputTest, ColumnsOfNumbers) {
  std::ostringstream out;
  PrintTable({{"i", "value"}, {{"0", "1"}, {"…", "…"}}, true}, out);
  EXPECT_EQ(out.str(),
            "i  value\n"
            "0      1\n"
            "…      …\n");
}

}  // namespace
}  // namespace posenc::cli
