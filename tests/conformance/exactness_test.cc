// Every value that the engine gives is the true one, rounded once: at most half
// an ulp of the output dtype + 1e-15 off, at positions up to ±1e9.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "server/base/float16.h"
#include "server/base/limits.h"
#include "server/service/engine.h"
#include "tests/support/encode.h"
#include "tests/support/tensor_bytes.h"
#include "tests/support/true_values.h"

namespace posenc::server {
namespace {

using ::posenc::testing::kArithmeticError;
using ::posenc::testing::TrueCos;
using ::posenc::testing::TrueSin;
using ::posenc::testing::TrueValue;
using ::posenc::testing::View;

const std::vector<double> kPositions = {
    0, 1, 2, 255, 256, 511, 5000, 32768, 1e6, 1e9, -7, -1e9, 0.5, 123456789.25};

double Element(DType dtype, const std::byte* at) {
  std::uint16_t half = 0;
  float single = 0;
  double value = 0;
  switch (dtype) {
    case DType::kFloat16:
      std::memcpy(&half, at, sizeof(half));
      return F16ToDouble(half);
    case DType::kBFloat16:
      std::memcpy(&half, at, sizeof(half));
      return BF16ToDouble(half);
    case DType::kFloat32:
      std::memcpy(&single, at, sizeof(single));
      return single;
    default:
      std::memcpy(&value, at, sizeof(value));
      return value;
  }
}

double HalfUlpOf(DType dtype, double value) {
  switch (dtype) {
    case DType::kFloat16:
      return testing::HalfUlpOfFloat16(value);
    case DType::kBFloat16:
      return testing::HalfUlpOfBFloat16(value);
    case DType::kFloat32:
      return testing::HalfUlpOfFloat32(value);
    default:
      return testing::HalfUlpOfFloat64(value);
  }
}

class ExactnessTest : public ::testing::TestWithParam<DType> {
 protected:
  ExactnessTest()
      : device_(*MakeDevice("cpu", kGiB, workers_)),
        cache_(*device_, 256 * kMiB, workers_),
        engine_(MakeEngine(*device_, tables_, cache_, {64 * kMiB})) {}

  // scale * x + encoding of the torchlingo profile; x is float32.
  void ExpectExact(std::uint64_t d_model, const std::vector<float>& x,
                   double scale) {
    const std::uint64_t rows = kPositions.size();
    EncodeRequest request;
    request.encoding.embedding_factor = scale;
    request.output_dtype = GetParam();
    request.positions.scheme = PositionFields::Scheme::kValues;
    request.positions.tensor = View(DType::kFloat64, {rows}, kPositions);
    request.embeddings = View(DType::kFloat32, {1, rows, d_model}, x);
    const auto response = testing::Encode(*engine_, request);
    ASSERT_TRUE(response.ok()) << response.status();
    for (std::size_t n = 0; n < x.size(); ++n) {
      const std::uint64_t i = n % d_model;
      const double position = kPositions[n / d_model];
      const auto d = static_cast<double>(d_model);
      const TrueValue pe = i % 2 == 0 ? TrueSin(position, 0, 1e4, i / 2, d)
                                      : TrueCos(position, 0, 1e4, i / 2, d);
      const long double truth = static_cast<long double>(scale) * x[n] +
                                static_cast<long double>(pe.hi) + pe.lo;
      const double value = Element(
          GetParam(), response->output.bytes().data() + n * SizeOf(GetParam()));
      EXPECT_LE(
          std::abs(static_cast<double>(value - truth)),
          HalfUlpOf(GetParam(), static_cast<double>(truth)) + kArithmeticError)
          << "d_model " << d_model << " position " << position << " channel "
          << i;
    }
  }

  WorkerPool workers_{2};
  std::unique_ptr<Device> device_;
  EmbeddingStore tables_;
  TableCache cache_;
  std::unique_ptr<Engine> engine_;
};

TEST_P(ExactnessTest, EncodingsAlone) {
  for (const std::uint64_t d : {1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 255, 768}) {
    ExpectExact(d, std::vector<float>(kPositions.size() * d), 1);
  }
}

TEST_P(ExactnessTest, SumsAreRoundedOnce) {
  for (const std::uint64_t d : {1, 7, 64}) {
    std::vector<float> x(kPositions.size() * d);
    for (std::size_t n = 0; n < x.size(); ++n) {
      x[n] = static_cast<float>(std::sin(static_cast<double>(n * n)));
    }
    ExpectExact(d, x, 1);
    ExpectExact(d, x, std::sqrt(static_cast<double>(d)) / 8);
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, ExactnessTest,
                         ::testing::Values(DType::kFloat32, DType::kFloat16,
                                           DType::kBFloat16, DType::kFloat64),
                         [](const auto& dtype) {
                           return std::string(Name(dtype.param));
                         });

}  // namespace
}  // namespace posenc::server
