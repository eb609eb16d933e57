#include "server/core/encodings/learned.h"

#include <gtest/gtest.h>

#include <vector>

#include "server/base/limits.h"
#include "tests/support/temporary_directory.h"

namespace posenc::server {
namespace {

constexpr std::uint64_t kRows = 4;

// "places" [4,2] of 10, 11, 20, 21, ….
class LearnedTest : public ::testing::Test {
 protected:
  LearnedTest() : device_(*MakeDevice("cpu", kMiB, workers_)) {
    testing::WriteNpy(directory_.File("places.npy"), {kRows, 2},
                      {10, 11, 20, 21, 30, 31, 40, 41});
    tables_ = *EmbeddingStore::Open(directory_.path(), *device_);
    table_ = *tables_->Find("places");
  }

  static EncodingSpec Spec(TableOverflow overflow, std::int64_t start) {
    return {.d_model = 2,
            .kind = EncodingKind::kLearned,
            .start = start,
            .position_table = "places",
            .table_overflow = overflow};
  }

  std::vector<double> Rows(const Learned& encoding, std::int64_t first,
                           std::size_t count) {
    std::vector<double> rows(count * 2, -9);
    EXPECT_TRUE(encoding.BuildRows(first, rows).ok());
    return rows;
  }

  testing::TemporaryDirectory directory_;
  WorkerPool workers_{1};
  std::unique_ptr<Device> device_;
  std::unique_ptr<EmbeddingStore> tables_;
  std::shared_ptr<const EmbeddingTable> table_;
};

TEST_F(LearnedTest, HasRowsForItsTableAlone) {
  const Learned encoding(Spec(TableOverflow::kError, 1), table_);
  EXPECT_EQ(encoding.range().first, -1);
  EXPECT_EQ(encoding.range().last, 2);
  EXPECT_EQ(Rows(encoding, -2, 3), (std::vector<double>{0, 0, 10, 11, 20, 21}));
}

TEST_F(LearnedTest, MayTakeTheNearestRow) {
  for (const std::int64_t start : {-2, 0, 2}) {
    const Learned encoding(Spec(TableOverflow::kClamp, start), table_);
    EXPECT_EQ(encoding.range().first, -kMaxPosition);
    EXPECT_EQ(encoding.range().last, kMaxPosition);
    EXPECT_EQ(Rows(encoding, -2 - start, 7),
              (std::vector<double>{10, 11, 10, 11, 10, 11, 20, 21, 30, 31, 40,
                                   41, 40, 41}));
    EXPECT_EQ(Rows(encoding, kMaxPosition, 1), (std::vector<double>{40, 41}));
    EXPECT_EQ(Rows(encoding, -kMaxPosition, 1), (std::vector<double>{10, 11}));
  }
}

TEST_F(LearnedTest, MayTakeZeros) {
  const Learned encoding(Spec(TableOverflow::kZeroRow, 0), table_);
  EXPECT_EQ(encoding.range().first, -kMaxPosition);
  EXPECT_EQ(encoding.range().last, kMaxPosition);
  EXPECT_EQ(Rows(encoding, 3, 2), (std::vector<double>{40, 41, 0, 0}));
  EXPECT_EQ(Rows(encoding, -1, 1), (std::vector<double>{0, 0}));
}

TEST_F(LearnedTest, TheKeyTellsThemApart) {
  const auto key = [&](TableOverflow overflow) {
    return Learned::Key(Spec(overflow, 0), *table_);
  };
  EXPECT_NE(key(TableOverflow::kError), key(TableOverflow::kClamp));
  EXPECT_NE(key(TableOverflow::kError), key(TableOverflow::kZeroRow));
  EXPECT_NE(key(TableOverflow::kClamp), key(TableOverflow::kZeroRow));
}

}  // namespace
}  // namespace posenc::server
