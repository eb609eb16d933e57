#include "server/core/encoding_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/core/encodings/sinusoidal.h"

namespace posenc::server {
namespace {

constexpr std::uint64_t kDModel = 6;

class EncodingRowsTest : public ::testing::Test {
 protected:
  EncodingRowsTest()
      : device_(*MakeDevice("cpu", kMiB, workers_)),
        cache_(*device_, kMiB, workers_) {
    entry_ = *cache_.Find({"key",
                           [] {
                             return std::make_shared<Sinusoidal>(
                                 EncodingSpec{.d_model = kDModel});
                           }},
                          {.d_model = kDModel});
  }

  // The rows' values, as the device adds them to nothing.
  std::vector<double> Values(const std::vector<double>& positions) {
    const auto rows =
        EncodingRows::Get(cache_, entry_, *device_, {.values = positions});
    EXPECT_TRUE(rows.ok()) << rows.status();
    const std::vector<double> zeros(positions.size() * kDModel);
    const Segment input = std::as_bytes(std::span(zeros));
    std::vector<double> output(zeros.size());
    EXPECT_TRUE(device_
                    ->Add({{.rows = positions.size(),
                            .width = kDModel,
                            .encoding = rows->map(),
                            .output_dtype = DType::kFloat64,
                            .input_dtype = DType::kFloat64,
                            .input = Segments(&input, 1)}},
                          std::as_writable_bytes(std::span(output)))
                    .ok());
    return output;
  }

  std::vector<double> Exact(double position) {
    const Encoding& encoding = TableCache::EncodingOf(*entry_);
    std::vector<double> row(kDModel);
    const bool integer = std::trunc(position) == position;
    EXPECT_TRUE(
        (integer ? encoding.BuildRows(static_cast<std::int64_t>(position), row)
                 : encoding.BuildRow(position, row))
            .ok());
    return row;
  }

  void ExpectRows(const std::vector<double>& positions) {
    const std::vector<double> values = Values(positions);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      const std::vector<double> row = PositionList::IsPadding(positions[r])
                                          ? std::vector<double>(kDModel)
                                          : Exact(positions[r]);
      EXPECT_EQ(std::memcmp(values.data() + r * kDModel, row.data(),
                            kDModel * sizeof(double)),
                0)
          << "row " << r << ", position " << positions[r];
    }
  }

  WorkerPool workers_{2};
  std::unique_ptr<Device> device_;
  TableCache cache_;
  std::shared_ptr<TableCache::Entry> entry_;
};

TEST_F(EncodingRowsTest, MixesEveryKindOfPosition) {
  ExpectRows({0, 1, 255, 256, -1, -256, -257, 0.5, PositionList::Padding(), 1,
              1e9, -1e9 + 0.25});
}

TEST_F(EncodingRowsTest, DenseChunksAreCachedAndScatteredOnesAreNot) {
  std::vector<double> positions;
  for (int i = 0; i < 300; ++i) positions.push_back(i);
  for (int i = 1; i <= 50; ++i) positions.push_back(i * 1e6);
  ExpectRows(positions);
  EXPECT_EQ(cache_.GetStats().chunks_built, 2u);
}

TEST_F(EncodingRowsTest, ScatteredPositionsUseTheChunksThatAreThere) {
  ExpectRows({512});
  std::vector<double> positions = {512};
  for (int i = 1; i <= 8; ++i) positions.push_back(i * 1e6);
  ExpectRows(positions);
  EXPECT_EQ(cache_.GetStats().chunks_built, 1u);
  EXPECT_EQ(cache_.GetStats().hits, 1u);
}

TEST_F(EncodingRowsTest, RefusesScatteredRowsOverTheBudget) {
  std::vector<double> positions(kMiB / (kDModel * sizeof(double)) + 1, 0.5);
  const auto rows =
      EncodingRows::Get(cache_, entry_, *device_, {.values = positions});
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ReasonOf(rows.status()), "CACHE_BUDGET");
}

}  // namespace
}  // namespace posenc::server
