#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/service/engine.h"
#include "tests/support/encode.h"
#include "tests/support/tensor_bytes.h"

namespace posenc::server {
namespace {

using ::posenc::testing::Encode;
using ::posenc::testing::View;

class EngineDropoutTest : public ::testing::Test {
 protected:
  EngineDropoutTest()
      : device_(*MakeDevice("cpu", kMiB, workers_)),
        cache_(*device_, kMiB, workers_),
        engine_(MakeEngine(*device_, tables_, cache_, {kMiB})) {}

  static std::vector<float> ValuesOf(const testing::Encoded& encoded) {
    const auto bytes = encoded.output.bytes();
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  WorkerPool workers_{1};
  std::unique_ptr<Device> device_;
  EmbeddingStore tables_;
  TableCache cache_;
  std::unique_ptr<Engine> engine_;
};

// TorchLingo's order: the encoding is added, then elements are dropped.
TEST_F(EngineDropoutTest, DropsOutAfterTheAddition) {
  std::vector<float> x(64);
  for (std::size_t n = 0; n < x.size(); ++n) x[n] = static_cast<float>(n) / 8;
  EncodeRequest request{.embeddings = View(DType::kFloat32, {1, 8, 8}, x)};
  const auto plain = Encode(*engine_, request);
  ASSERT_TRUE(plain.ok()) << plain.status();
  request.dropout = Dropout{.rate = 0.25, .seed = 5};
  const auto dropped = Encode(*engine_, request);
  ASSERT_TRUE(dropped.ok()) << dropped.status();
  const std::vector<float> before = ValuesOf(*plain);
  const std::vector<float> after = ValuesOf(*dropped);
  std::size_t zeros = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    if (after[n] == 0) {
      ++zeros;
    } else {
      EXPECT_EQ(after[n], static_cast<float>(before[n] * (1 / 0.75)));
    }
  }
  EXPECT_GT(zeros, 0u);
  EXPECT_LT(zeros, x.size() / 2);
  request.dropout->rate = 0;
  EXPECT_EQ(ValuesOf(*Encode(*engine_, request)), before);
}

TEST_F(EngineDropoutTest, DropoutNeverOverwritesItsInput) {
  std::vector<float> x(8, 1);
  const EncodeRequest request{
      .dropout = Dropout{.rate = 0.5},
      .embeddings = View(DType::kFloat32, {1, 1, 8}, x)};
  const auto plan = engine_->Plan(request);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto output =
      engine_->Run(*plan, request.embeddings->data, Overwrite::kIfItFits);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->bytes().size(), 32u);
  EXPECT_EQ(x, std::vector<float>(8, 1));
}

TEST_F(EngineDropoutTest, RefusesRatesThatCannotBe) {
  const std::vector<float> one = {2};
  EncodeRequest request{.embeddings = View(DType::kFloat32, {1, 1, 1}, one)};
  for (const double rate : {1.0, -0.5, std::nan("")}) {
    request.dropout = Dropout{.rate = rate};
    const auto refused = Encode(*engine_, request);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(ReasonOf(refused.status()), "DROPOUT_RATE");
    EXPECT_THAT(std::string(refused.status().message()),
                ::testing::HasSubstr("but must be 0 or more and below 1"));
    request.dropout.reset();
    EXPECT_TRUE(Encode(*engine_, request).ok());
  }
}

}  // namespace
}  // namespace posenc::server
