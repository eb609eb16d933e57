#include "server/core/formats/table_format.h"

#include <gtest/gtest.h>

#include <string>

namespace posenc::server {
namespace {

TEST(FindTableFormat, KnowsFormatsByTheEndingOfTheName) {
  for (const char* const ending : {".safetensors", ".npy"}) {
    const TableFormat* const format =
        FindTableFormat(std::string("a.b") + ending);
    ASSERT_NE(format, nullptr) << ending;
    EXPECT_EQ(format->extension, ending);
    EXPECT_NE(format->parse, nullptr);
  }
}

TEST(FindTableFormat, KnowsNoOthers) {
  for (const char* const name :
       {"", "npy", "a.NPY", "a.npy.part", "a.npz", "model.bin"}) {
    EXPECT_EQ(FindTableFormat(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace posenc::server
