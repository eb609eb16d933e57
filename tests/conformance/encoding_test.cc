// What every encoding must do. A new one is a line in MakeSubjects.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <ostream>
#include <thread>

#include "server/base/limits.h"
#include "server/core/encodings/registry.h"
#include "server/core/table_cache.h"
#include "tests/support/temporary_directory.h"

namespace posenc::server {
namespace {

constexpr std::uint64_t kWidth = 12;
constexpr std::uint64_t kTableRows = 700;

struct Subject {
  std::string name;
  EncodingSpec spec;
};

void PrintTo(const Subject& subject, std::ostream* out) {
  *out << subject.name;
}

std::vector<Subject> MakeSubjects() {
  std::vector<Subject> subjects;
  for (const Profile& profile : Profiles()) {
    Subject subject{std::string(profile.name), profile.spec};
    subject.spec.d_model = kWidth;
    if (subject.spec.kind == EncodingKind::kLearned) {
      subject.spec.position_table = "places";
    }
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

class EncodingConformance : public ::testing::TestWithParam<Subject> {
 protected:
  EncodingConformance() : device_(*MakeDevice("cpu", kMiB, workers_)) {
    std::vector<float> places(kTableRows * kWidth);
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = std::sin(static_cast<float>(i));
    }
    testing::WriteNpy(directory_.File("places.npy"), {kTableRows, kWidth},
                      places);
    tables_ = *EmbeddingStore::Open(directory_.path(), *device_);
    recipe_ = *FindRecipe(GetParam().spec, *tables_);
    encoding_ = recipe_.make();
  }

  std::vector<double> Rows(std::int64_t first, std::size_t count) const {
    std::vector<double> rows(count * kWidth, -9);
    const absl::Status status = encoding_->BuildRows(first, rows);
    EXPECT_TRUE(status.ok()) << status;
    return rows;
  }

  testing::TemporaryDirectory directory_;
  WorkerPool workers_{2};
  std::unique_ptr<Device> device_;
  std::unique_ptr<EmbeddingStore> tables_;
  EncodingRecipe recipe_;
  std::shared_ptr<const Encoding> encoding_;
};

TEST_P(EncodingConformance, SaysWhatItIs) {
  EXPECT_EQ(encoding_->width(), kWidth);
  EXPECT_GT(encoding_->bytes(), 0u);
  EXPECT_LE(encoding_->range().first, encoding_->range().last);
  EXPECT_FALSE(Name(encoding_->op()).empty());
  for (const double frequency : encoding_->Frequencies()) {
    EXPECT_GT(frequency, 0);
  }
}

TEST_P(EncodingConformance, ARowIsAPureFunctionOfItsPosition) {
  constexpr std::int64_t kFirst = 3;
  const std::vector<double> together = Rows(kFirst, 600);
  for (std::int64_t r = 0; r < 600; r += 31) {
    const std::vector<double> alone = Rows(kFirst + r, 1);
    EXPECT_EQ(std::memcmp(alone.data(), together.data() + r * kWidth,
                          kWidth * sizeof(double)),
              0)
        << "position " << kFirst + r;
  }
}

TEST_P(EncodingConformance, AnotherMakeGivesTheSameBits) {
  const auto again = recipe_.make();
  std::vector<double> rows(100 * kWidth);
  ASSERT_TRUE(again->BuildRows(250, rows).ok());
  EXPECT_EQ(rows, Rows(250, 100));
}

TEST_P(EncodingConformance, ThreadsGetTheSameBits) {
  const std::vector<double> expected = Rows(200, 200);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] { EXPECT_EQ(Rows(200, 200), expected); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(EncodingConformance, RowsOutsideTheRangeAreZeros) {
  const PositionRange range = encoding_->range();
  if (range.last == kMaxPosition) {
    GTEST_SKIP() << "every position that can be asked for has a row";
  }
  const std::vector<double> zeros(kWidth);
  EXPECT_EQ(Rows(range.last + 1, 1), zeros);
  EXPECT_EQ(Rows(range.first - 1, 1), zeros);
  EXPECT_NE(Rows(range.last, 1), zeros);
}

TEST_P(EncodingConformance, FractionsHaveARowOrAnError) {
  std::vector<double> row(kWidth, -9);
  const absl::Status status = encoding_->BuildRow(2.5, row);
  if (status.ok()) {
    for (const double value : row) EXPECT_LE(std::abs(value), 1);
  } else {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST_P(EncodingConformance, TheCacheServesItsRows) {
  TableCache cache(*device_, kMiB, workers_);
  const auto entry = cache.Find(recipe_, GetParam().spec);
  ASSERT_TRUE(entry.ok()) << entry.status();
  const std::int64_t indices[] = {0, 1};
  const auto chunks = cache.Acquire(*entry, indices, TableCache::Miss::kBuild);
  ASSERT_TRUE(chunks.ok()) << chunks.status();
  EXPECT_EQ((*chunks)[1]->width(), kWidth);
  EXPECT_EQ((*chunks)[1]->rows(), static_cast<std::uint64_t>(kChunkRows));
}

INSTANTIATE_TEST_SUITE_P(All, EncodingConformance,
                         ::testing::ValuesIn(MakeSubjects()),
                         [](const auto& subject) {
                           std::string name = subject.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace posenc::server
