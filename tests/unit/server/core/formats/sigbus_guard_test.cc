#include "server/core/formats/sigbus_guard.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "server/base/limits.h"

// What happens on a fault is tested in mapped_file_test.cc.
namespace posenc::server {
namespace {

constexpr std::array<std::byte, 64> kBytes = {};

absl::StatusOr<SigbusGuard> MakeGuard() {
  return SigbusGuard::Create(kBytes.data(), kBytes.size());
}

TEST(SigbusGuard, IsUndamagedAtFirst) {
  const auto guard = MakeGuard();
  ASSERT_TRUE(guard.ok()) << guard.status();
  EXPECT_FALSE(guard->damaged());
}

TEST(SigbusGuard, ThereAreNoMoreThanTheLimit) {
  std::vector<SigbusGuard> guards;
  for (std::size_t i = 0; i < kMaxTableFiles; ++i) {
    auto guard = MakeGuard();
    ASSERT_TRUE(guard.ok()) << guard.status();
    guards.push_back(*std::move(guard));
  }
  const auto refused = MakeGuard();
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(refused.status().message(),
            "1024 files are mapped, and at most 1024 may be");
  guards.pop_back();
  EXPECT_TRUE(MakeGuard().ok());
}

}  // namespace
}  // namespace posenc::server
