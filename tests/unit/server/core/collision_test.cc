#include "server/core/collision.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "server/core/encodings/sinusoidal.h"
#include "server/kernels/kernels.h"

namespace posenc::server {
namespace {

// The first repeat among rows rounded to the dtype, found by keeping them all.
std::optional<Collision> PlainSearch(const Encoding& encoding, DType dtype,
                                     std::uint64_t positions) {
  const AddFunction round = ReferenceKernels().Add(DType::kFloat64, dtype);
  const std::vector<double> zeros(encoding.width());
  std::map<std::vector<char>, std::uint64_t> seen;
  for (std::uint64_t p = 0; p < positions; ++p) {
    std::vector<double> row(encoding.width());
    EXPECT_TRUE(encoding.BuildRows(static_cast<std::int64_t>(p), row).ok());
    std::vector<char> rounded(row.size() * SizeOf(dtype));
    round(row.data(), zeros.data(), 1, rounded.data(), row.size());
    const auto [place, is_new] = seen.emplace(std::move(rounded), p);
    if (!is_new) return Collision{p, place->second};
  }
  return std::nullopt;
}

TEST(FindCollision, FindsWhatAPlainSearchFinds) {
  for (const std::uint64_t d : {1, 2, 3, 4}) {
    for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
      const Sinusoidal encoding({.d_model = d});
      const auto found = FindCollision(encoding, dtype, 3000);
      ASSERT_TRUE(found.ok()) << found.status();
      const auto plain = PlainSearch(encoding, dtype, 3000);
      ASSERT_EQ(found->has_value(), plain.has_value());
      if (!plain) continue;
      EXPECT_EQ((*found)->position, plain->position);
      EXPECT_EQ((*found)->earlier, plain->earlier);
    }
  }
}

TEST(FindCollision, OnePairOfChannelsRepeatsInHalfPrecision) {
  // 710 is 113 turns but for 6e-5.
  const Sinusoidal encoding({.d_model = 2});
  const auto found = FindCollision(encoding, DType::kFloat16, 65536);
  ASSERT_TRUE(found.ok());
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->position - (*found)->earlier, 710u);
}

TEST(FindCollision, FindsNothingInWideRows) {
  const Sinusoidal encoding({.d_model = 64});
  const auto found = FindCollision(encoding, DType::kFloat32, 4096);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->has_value());
}

}  // namespace
}  // namespace posenc::server
