#include "client/cli/terminal_map.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

std::string Drawn(const Grid& grid, std::size_t width) {
  std::ostringstream out;
  DrawInTerminal(grid, 1, width, out);
  return out.str();
}

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

TEST(TerminalMapTest, TwoPositionsShareACharacter) {
  EXPECT_EQ(Drawn({2, 1, {-1, 1}}, 1),
            "\x1b[38;2;16;42;112m\x1b[48;2;120;14;26m▀\x1b[0m\n");
}

TEST(TerminalMapTest, ALastOddPositionHasNoBackground) {
  EXPECT_EQ(Drawn({1, 1, {0}}, 1), "\x1b[38;2;245;245;245m▀\x1b[0m\n");
}

TEST(TerminalMapTest, FitsTheTerminal) {
  const Grid grid{100, 50, std::vector<float>(5000)};
  const std::string drawn = Drawn(grid, 20);
  EXPECT_EQ(Count(drawn, "\n"), 24u);
  EXPECT_EQ(Count(drawn, "▀"), 24u * 20);
}

TEST(TerminalMapTest, StretchesNarrowGrids) {
  EXPECT_EQ(Count(Drawn({2, 4, std::vector<float>(8)}, 14), "▀"), 12u);
  EXPECT_EQ(Count(Drawn({2, 1, std::vector<float>(2)}, 80), "▀"), 8u);
}

}  // namespace
}  // namespace posenc::cli
