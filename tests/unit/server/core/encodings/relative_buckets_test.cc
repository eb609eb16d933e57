#include "server/core/encodings/relative_buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "server/base/error.h"
#include "server/core/encodings/registry.h"
#include "tests/support/temporary_directory.h"

namespace posenc::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

EncodingSpec Buckets(std::uint64_t buckets, std::uint64_t max_distance,
                     bool bidirectional) {
  return {.d_model = 1,
          .kind = EncodingKind::kRelativeBuckets,
          .buckets = buckets,
          .max_distance = max_distance,
          .bidirectional = bidirectional};
}

std::vector<double> NumbersFrom(const EncodingSpec& spec, std::int64_t first,
                                std::size_t count) {
  const RelativeBuckets encoding(spec, nullptr);
  std::vector<double> rows(count);
  EXPECT_TRUE(encoding.BuildRows(first, rows).ok());
  return rows;
}

double Number(const EncodingSpec& spec, std::int64_t position) {
  return NumbersFrom(spec, position, 1)[0];
}

// T5's encoder: 16 buckets each way, 8 of them for one distance, the others up
// to 128. Distances 8 * 16^(k/8): 8, 11.3, 16, 22.6, 32, 45.3, 64, 90.5.
TEST(RelativeBuckets, ThoseOfT5sEncoder) {
  const EncodingSpec spec = Buckets(32, 128, true);
  EXPECT_THAT(NumbersFrom(spec, -9, 12),
              ElementsAre(8, 8, 7, 6, 5, 4, 3, 2, 1, 0, 17, 18));
  const std::vector<std::pair<std::int64_t, double>> ends = {
      {11, 8},  {12, 9},  {15, 9},   {16, 10},  {22, 10},     {23, 11},
      {31, 11}, {32, 12}, {45, 12},  {46, 13},  {63, 13},     {64, 14},
      {90, 14}, {91, 15}, {127, 15}, {128, 15}, {1000000, 15}};
  for (const auto& [distance, bucket] : ends) {
    EXPECT_EQ(Number(spec, -distance), bucket) << distance;
    EXPECT_EQ(Number(spec, distance), 16 + bucket) << distance;
  }
}

// T5's decoder: 16 of one distance, 16 more, 16 * 8^(k/16).
TEST(RelativeBuckets, ThoseOfT5sDecoder) {
  const EncodingSpec spec = Buckets(32, 128, false);
  EXPECT_THAT(NumbersFrom(spec, -2, 5), ElementsAre(2, 1, 0, 0, 0));
  const std::vector<std::pair<std::int64_t, double>> ends = {
      {15, 15}, {16, 16},  {18, 16},  {19, 17},  {20, 17},
      {21, 18}, {112, 30}, {113, 31}, {128, 31}, {9007199254740992, 31}};
  for (const auto& [distance, bucket] : ends) {
    EXPECT_EQ(Number(spec, -distance), bucket) << distance;
  }
}

TEST(RelativeBuckets, TheFewestThereCanBe) {
  EXPECT_THAT(NumbersFrom(Buckets(2, 2, false), -3, 4),
              ElementsAre(1, 1, 1, 0));
  EXPECT_THAT(NumbersFrom(Buckets(4, 2, true), -2, 5),
              ElementsAre(1, 1, 0, 3, 3));
}

class RelativeBucketsTable : public ::testing::Test {
 protected:
  RelativeBucketsTable() : device_(*MakeDevice("cpu", 1 << 20, workers_)) {
    testing::WriteNpy(directory_.File("bias.npy"), {4, 2},
                      {0, 1, 10, 11, 20, 21, 30, 31});
    tables_ = *EmbeddingStore::Open(directory_.path(), *device_);
  }

  absl::StatusOr<EncodingRecipe> Recipe(std::uint64_t buckets,
                                        std::uint64_t d_model) {
    EncodingSpec spec = Buckets(buckets, 16, true);
    spec.position_table = "bias";
    spec.d_model = d_model;
    return FindRecipe(spec, *tables_);
  }

  testing::TemporaryDirectory directory_;
  WorkerPool workers_{1};
  std::unique_ptr<Device> device_;
  std::unique_ptr<EmbeddingStore> tables_;
};

TEST_F(RelativeBucketsTable, RowsAreThoseOfTheBuckets) {
  const auto recipe = Recipe(4, 2);
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  std::vector<double> rows(6);
  ASSERT_TRUE(recipe->make()->BuildRows(-1, rows).ok());
  EXPECT_THAT(rows, ElementsAre(10, 11, 0, 1, 30, 31));
}

TEST_F(RelativeBucketsTable, RefusesTablesThatDoNotFit) {
  const auto rows = Recipe(8, 2);
  EXPECT_EQ(ReasonOf(rows.status()), "BUCKETS_MISMATCH");
  EXPECT_THAT(std::string(rows.status().message()),
              HasSubstr("has 4 rows, but encoding.buckets is 8"));
  const auto width = Recipe(4, 3);
  EXPECT_EQ(ReasonOf(width.status()), "D_MODEL_MISMATCH");
  EXPECT_THAT(std::string(width.status().message()),
              HasSubstr("have 2 elements, but d_model is 3"));
}

TEST_F(RelativeBucketsTable, RefusesFractions) {
  std::vector<double> row(1);
  EXPECT_EQ(
      ReasonOf(
          RelativeBuckets(Buckets(4, 16, true), nullptr).BuildRow(0.5, row)),
      "FRACTIONAL_POSITION");
}

}  // namespace
}  // namespace posenc::server
