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

// What each way to split channels over axes divides.
constexpr std::uint64_t kWidth = 48;
constexpr std::uint64_t kTableRows = 700;

struct Subject {
  std::string name;
  EncodingSpec spec;
};

void PrintTo(const Subject& subject, std::ostream* out) {
  *out << subject.name;
}

Subject Resolved(const std::string& name, const SpecFields& fields) {
  return {name, *ResolveSpec(fields, std::nullopt)};
}

// Each profile, with what a caller must give.
SpecFields FieldsOf(const Profile& profile) {
  SpecFields fields{.profile = std::string(profile.name), .d_model = kWidth};
  const EncodingSpec& spec = profile.spec;
  if (spec.kind == EncodingKind::kLearned) fields.position_table = "places";
  if (spec.kind == EncodingKind::kRelativeBuckets) fields.d_model = 1;
  if (spec.kind == EncodingKind::kSinusoidalGrid) {
    fields.grid_sizes = {25, 28};
    if (spec.grid_axes.size() == 3) fields.grid_sizes = {7, 10, 10};
  }
  return fields;
}

std::vector<Subject> MakeSubjects() {
  std::vector<Subject> subjects;
  for (const Profile& profile : Profiles()) {
    subjects.push_back(Resolved(std::string(profile.name), FieldsOf(profile)));
  }
  const auto add = [&](const std::string& name, const SpecFields& fields) {
    subjects.push_back(Resolved(name, fields));
  };
  add("relative-buckets-of-a-table", {.profile = "t5",
                                      .d_model = kWidth,
                                      .position_table = "places",
                                      .buckets = kTableRows,
                                      .max_distance = 1000});
  add("clamped-table", {.profile = "learned",
                        .d_model = kWidth,
                        .position_table = "places",
                        .table_overflow = TableOverflow::kClamp});
  add("scaled-grid", {.profile = "mae",
                      .d_model = kWidth,
                      .encoding_factor = 0.3,
                      .grid_sizes = {25, 28}});
  add("partial-rotary",
      {.profile = "gpt-neox", .d_model = kWidth, .rotary_dimension = 12});
  add("proportional-rotary",
      {.profile = "llama",
       .d_model = kWidth,
       .rotary_dimension = 12,
       .frequency_scaling = FrequencyScaling{
           .rule = FrequencyRule::kProportional, .factor = 8}});
  add("yarn",
      {.profile = "llama",
       .d_model = kWidth,
       .frequency_scaling = FrequencyScaling{.rule = FrequencyRule::kYarn,
                                             .factor = 4,
                                             .original_context = 2048}});
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

  std::size_t Width() const { return encoding_->width(); }

  std::vector<double> Rows(std::int64_t first, std::size_t count) const {
    std::vector<double> rows(count * Width(), -9);
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
  EXPECT_GT(encoding_->width(), 0u);
  EXPECT_LE(encoding_->width(), GetParam().spec.d_model);
  EXPECT_GT(encoding_->bytes(), 0u);
  EXPECT_LE(encoding_->range().first, encoding_->range().last);
  EXPECT_FALSE(Name(encoding_->op()).empty());
  for (const double frequency : encoding_->Frequencies()) {
    EXPECT_GE(frequency, 0);
  }
}

TEST_P(EncodingConformance, ARowIsAPureFunctionOfItsPosition) {
  constexpr std::int64_t kFirst = 3;
  const std::vector<double> together = Rows(kFirst, 600);
  for (std::int64_t r = 0; r < 600; r += 31) {
    const std::vector<double> alone = Rows(kFirst + r, 1);
    EXPECT_EQ(std::memcmp(alone.data(), together.data() + r * Width(),
                          Width() * sizeof(double)),
              0)
        << "position " << kFirst + r;
  }
}

TEST_P(EncodingConformance, AnotherMakeGivesTheSameBits) {
  const auto again = recipe_.make();
  std::vector<double> rows(100 * Width());
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
  const std::vector<double> zeros(Width());
  EXPECT_EQ(Rows(range.last + 1, 1), zeros);
  EXPECT_EQ(Rows(range.first - 1, 1), zeros);
  EXPECT_NE(Rows(range.last, 1), zeros);
}

TEST_P(EncodingConformance, FractionsHaveARowOrAnError) {
  std::vector<double> row(Width(), -9);
  const absl::Status status = encoding_->BuildRow(2.5, row);
  if (status.ok()) {
    for (const double value : row) EXPECT_LE(std::abs(value), 2.5);
  } else {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST_P(EncodingConformance, RefusesCoordinatesThatAreNotItsOwn) {
  std::vector<double> row(Width());
  const std::vector<double> three = {0, 0, 0};
  const absl::Status status = encoding_->BuildRowAt(three, row);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
}

TEST_P(EncodingConformance, TheCacheServesItsRows) {
  TableCache cache(*device_, kMiB, workers_);
  const auto entry = cache.Find(recipe_, GetParam().spec);
  ASSERT_TRUE(entry.ok()) << entry.status();
  const std::int64_t indices[] = {0, 1};
  const auto chunks = cache.Acquire(*entry, indices, TableCache::Miss::kBuild);
  ASSERT_TRUE(chunks.ok()) << chunks.status();
  EXPECT_EQ((*chunks)[1]->width(), Width());
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
