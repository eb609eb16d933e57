// What dropout is on every device. To test another, add its name to the
// INSTANTIATE line at the end.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "server/base/limits.h"
#include "server/devices/device.h"
#include "tests/support/elements.h"

namespace posenc::server {
namespace {

using testing::kFloats;
using testing::LoadElement;
using testing::StoreElement;

using Words = std::array<std::uint32_t, 4>;

// Philox 4x32-10 by the paper (Salmon et al. 2011, §2.4 and table 2).
Words Philox(Words counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key0,
               static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key1,
               static_cast<std::uint32_t>(a)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

bool IsDropped(const Dropout& dropout, std::uint64_t index) {
  const std::uint64_t counter = index / 4;
  const Words words =
      Philox({static_cast<std::uint32_t>(counter),
              static_cast<std::uint32_t>(counter >> 32),
              static_cast<std::uint32_t>(dropout.request_position),
              static_cast<std::uint32_t>(dropout.request_position >> 32)},
             static_cast<std::uint32_t>(dropout.seed),
             static_cast<std::uint32_t>(dropout.seed >> 32));
  return words[index % 4] / 0x1p32 < dropout.rate;
}

class DropoutConformance : public ::testing::TestWithParam<std::string> {
 protected:
  DropoutConformance()
      : device_(*MakeDevice(GetParam(), 64 * kMiB, workers_)) {}

  // What is left of elements that all have that value.
  std::vector<double> Left(const Dropout& dropout, std::size_t count,
                           DType dtype = DType::kFloat32, double value = 1) {
    auto buffer = device_->AllocateResponse(count * SizeOf(dtype));
    EXPECT_TRUE(buffer.ok()) << buffer.status();
    std::byte* const at = buffer->bytes().data();
    for (std::size_t n = 0; n < count; ++n) {
      StoreElement(dtype, value, at + n * SizeOf(dtype));
    }
    EXPECT_TRUE(device_->DropOut(dropout, dtype, buffer->bytes()).ok());
    std::vector<double> left;
    for (std::size_t n = 0; n < count; ++n) {
      left.push_back(LoadElement(dtype, at + n * SizeOf(dtype)));
    }
    return left;
  }

  WorkerPool workers_{3};
  std::unique_ptr<Device> device_;
};

// Known answers of the generator: philox4x32 10 of Random123's kat_vectors.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, 0, 0),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822,
                   0x299f31d0),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST_P(DropoutConformance, DropsWhatTheGeneratorSays) {
  for (const Dropout& dropout :
       {Dropout{.rate = 0.5}, Dropout{.rate = 0.1, .seed = 7},
        Dropout{.rate = 0.9,
        .seed = 0x123456789abcdef0,
        .request_position = 0xfedcba9876543210}}) {
    const std::vector<double> left = Left(dropout, 3001);
    for (std::size_t n = 0; n < left.size(); ++n) {
      const double kept = static_cast<float>(1 / (1 - dropout.rate));
      ASSERT_EQ(left[n], IsDropped(dropout, n) ? 0 : kept) << "element " << n;
    }
  }
}

TEST_P(DropoutConformance, AWordEqualToTheRateIsKept) {
  const double word = 0x6627e8d5;
  EXPECT_NE(Left({.rate = word / 0x1p32}, 1)[0], 0);
  EXPECT_EQ(Left({.rate = (word + 1) / 0x1p32}, 1)[0], 0);
}

TEST_P(DropoutConformance, KeptElementsAreRoundedOnce) {
  const Dropout dropout{.rate = 0.1};
  for (const DType dtype : kFloats) {
    std::byte element[8];
    StoreElement(dtype, 1.7, element);
    const double value = LoadElement(dtype, element);
    StoreElement(dtype, value * (1 / (1 - dropout.rate)), element);
    const double wanted = LoadElement(dtype, element);
    const std::vector<double> left = Left(dropout, 100, dtype, 1.7);
    for (std::size_t n = 0; n < left.size(); ++n) {
      EXPECT_EQ(left[n], IsDropped(dropout, n) ? 0 : wanted) << Name(dtype);
    }
  }
}

TEST_P(DropoutConformance, ZeroesInfinitiesAndNaNs) {
  const Dropout dropout{.rate = 0.5};
  const std::vector<double> left = Left(dropout, 64, DType::kFloat16, HUGE_VAL);
  for (std::size_t n = 0; n < left.size(); ++n) {
    EXPECT_EQ(left[n], IsDropped(dropout, n) ? 0 : HUGE_VAL);
  }
}

// A million elements take several threads; the share of zeros is within five
// standard deviations, √(p(1 - p)/n).
TEST_P(DropoutConformance, DropsTheShareThatWasAskedFor) {
  constexpr std::size_t kCount = 1000003;
  for (const double rate : {0.0, 0.1, 0.5, 0.99}) {
    const Dropout dropout{.rate = rate, .seed = 3};
    const std::vector<double> left = Left(dropout, kCount);
    std::size_t zeros = 0;
    for (const double value : left) zeros += value == 0 ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(zeros) / kCount, rate,
                5 * std::sqrt(rate * (1 - rate) / kCount));
    EXPECT_EQ(Left(dropout, kCount), left);
    EXPECT_EQ(left[kCount - 1] == 0, IsDropped(dropout, kCount - 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, DropoutConformance, ::testing::Values("cpu"));

}  // namespace
}  // namespace posenc::server
