#include "server/core/encodings/alibi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/true_values.h"

namespace posenc::server {
namespace {

using ::testing::ElementsAre;

std::vector<double> AlibiRow(std::uint64_t heads, double position) {
  const Alibi alibi({.d_model = heads, .kind = EncodingKind::kAlibi});
  std::vector<double> row(alibi.width());
  EXPECT_TRUE(alibi.BuildRow(position, row).ok());
  return row;
}

// Press et al. 2022, §3: for 8 heads 1/2, 1/4 … 1/2^8.
TEST(Alibi, SlopesOfThePaper) {
  EXPECT_THAT(AlibiRow(8, -1), ElementsAre(-0.5, -0.25, -0.125, -0x1p-4,
                                           -0x1p-5, -0x1p-6, -0x1p-7, -0x1p-8));
  EXPECT_THAT(AlibiRow(1, -3), ElementsAre(-3 * 0x1p-8));
}

// 2^(-8(h+1)/n), to the nearest double.
TEST(Alibi, SlopesAreExact) {
  const std::vector<double> row = AlibiRow(16, 1);
  ASSERT_EQ(row.size(), 16u);
  for (std::size_t h = 0; h < row.size(); ++h) {
    const double exponent = -0.5 * static_cast<double>(h + 1);
    EXPECT_EQ(-row[h],
              h % 2 == 1 ? std::exp2(exponent)
                         : std::exp2(std::floor(exponent)) * 1.4142135623730951)
        << "head " << h;
  }
}

// 12 heads: those of 8, then the first, third, fifth and seventh of 16.
TEST(Alibi, HeadsThatAreNoPowerOfTwo) {
  const std::vector<double> eight = AlibiRow(8, 1);
  const std::vector<double> sixteen = AlibiRow(16, 1);
  const std::vector<double> twelve = AlibiRow(12, 1);
  ASSERT_EQ(twelve.size(), 12u);
  for (std::size_t h = 0; h < 8; ++h) EXPECT_EQ(twelve[h], eight[h]);
  for (std::size_t h = 0; h < 4; ++h) EXPECT_EQ(twelve[8 + h], sixteen[2 * h]);
}

TEST(Alibi, DependsOnTheDistanceAlone) {
  EXPECT_EQ(AlibiRow(6, -5), AlibiRow(6, 5));
  EXPECT_EQ(AlibiRow(6, 0), std::vector<double>(6));
  EXPECT_FALSE(std::signbit(AlibiRow(6, 0)[0]));
  EXPECT_EQ(AlibiRow(2, 2.5)[0], 2.5 * AlibiRow(2, 1)[0]);
  const Alibi alibi({.d_model = 2, .kind = EncodingKind::kAlibi});
  std::vector<double> rows(6);
  ASSERT_TRUE(alibi.BuildRows(-1, rows).ok());
  EXPECT_EQ(rows[0], rows[4]);
  EXPECT_EQ(rows[2], 0);
}

}  // namespace
}  // namespace posenc::server
