#include "server/core/formats/name.h"

#include <gtest/gtest.h>

#include <string>

#include "server/base/limits.h"

namespace posenc::server {
namespace {

TEST(IsTableName, TakesUtf8) {
  EXPECT_TRUE(IsTableName("model/embeddings.word_embeddings.weight"));
  EXPECT_TRUE(IsTableName("naïve 表 🙂"));
  EXPECT_TRUE(IsTableName(std::string(kMaxNameBytes, 'x')));
}

TEST(IsTableName, RefusesTheEmptyAndTheLong) {
  EXPECT_FALSE(IsTableName(""));
  EXPECT_FALSE(IsTableName(std::string(kMaxNameBytes + 1, 'x')));
}

TEST(IsTableName, RefusesControlCharacters) {
  EXPECT_FALSE(IsTableName("a\nb"));
  EXPECT_FALSE(IsTableName(std::string("a\0b", 3)));
  EXPECT_FALSE(IsTableName("a\x7f"));
  EXPECT_FALSE(IsTableName("a\xc2\x85"));  // U+0085
}

TEST(IsTableName, RefusesWhatIsNoUtf8) {
  for (const char* const name :
       {"\x80", "\xc3", "\xc3(", "\xe2\x82", "\xf0\x9f\x99", "\xff",
        "\xc0\xaf",             // a slash in two bytes
        "\xe0\x80\xaf",         // in three
        "\xed\xa0\x80",         // a surrogate
        "\xf4\x90\x80\x80"}) {  // beyond U+10FFFF
    EXPECT_FALSE(IsTableName(name)) << ::testing::PrintToString(name);
  }
}

TEST(Quoted, ShowsTextAsItIs) { EXPECT_EQ(Quoted("naïve 表"), "'naïve 表'"); }

TEST(Quoted, EscapesWhatCanNotBeShown) {
  EXPECT_EQ(Quoted("a\n\xff\xc2\x85z"), "'a\\x0a\\xff\\xc2\\x85z'");
}

TEST(Quoted, LeavesOutTheRestOfALongText) {
  const std::string quoted = Quoted(std::string(1000, 'x'));
  EXPECT_EQ(quoted, "'" + std::string(kMaxNameBytes, 'x') + "…'");
}

}  // namespace
}  // namespace posenc::server
