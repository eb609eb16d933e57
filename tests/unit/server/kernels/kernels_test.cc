#include "server/kernels/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace posenc::server {
namespace {

using ::testing::ExitedWithCode;
using ::testing::HasSubstr;
using ::testing::Not;

// The choice of kernels is for the life of a process, so that each of these
// needs one of its own.
class KernelsDeathTest : public ::testing::Test {
 protected:
  KernelsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

[[noreturn]] void Finish(const std::string& outcome) {
  std::cerr << outcome;
  std::exit(0);
}

TEST_F(KernelsDeathTest, ActiveIsTheBestTarget) {
  const std::vector<std::string> targets = SupportedTargets();
  const std::string best = targets.empty() ? "reference" : targets.front();
  EXPECT_EXIT(Finish(std::string(ActiveKernels().target) + "!"),
              ExitedWithCode(0), best + "!");
}

TEST_F(KernelsDeathTest, ForcedTargetIsUsed) {
  EXPECT_EXIT(
      {
        const absl::Status status = ForceTarget("reference");
        Finish(status.ToString() + " " + std::string(ActiveKernels().target));
      },
      ExitedWithCode(0), "OK reference");
}

TEST_F(KernelsDeathTest, ForcingComesTooLateAfterTheFirstUse) {
  EXPECT_EXIT(
      {
        (void)ActiveKernels();
        Finish(ForceTarget("reference").ToString());
      },
      ExitedWithCode(0),
      "FAILED_PRECONDITION: SIMD target \"reference\" was asked for after");
}

TEST(Kernels, UnknownTargetIsRefusedWithTheKnownOnes) {
  const absl::Status status = ForceTarget("MMX");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("\"MMX\""));
  for (const std::string& target : SupportedTargets()) {
    EXPECT_THAT(std::string(status.message()), HasSubstr(target));
  }
  EXPECT_THAT(std::string(status.message()), HasSubstr("reference"));
  EXPECT_EQ(KernelsFor("MMX"), nullptr);
}

TEST(Kernels, EverySupportedTargetIsCompleteAndNamed) {
  for (const std::string& target : SupportedTargets()) {
    EXPECT_THAT(target, Not("reference"));
    const Kernels* kernels = KernelsFor(target);
    ASSERT_NE(kernels, nullptr);
    EXPECT_EQ(kernels->target, target);
    EXPECT_NE(kernels->rotate, nullptr);
    for (const auto& row : kernels->add) {
      for (const AddFunction add : row) EXPECT_NE(add, nullptr);
    }
  }
}

#if defined(__x86_64__)
TEST(Kernels, VectorTargetsAreCompiledIn) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    GTEST_SKIP() << "this CPU has no AVX2";
  }
  EXPECT_THAT(SupportedTargets(), ::testing::IsSupersetOf({"AVX2", "SSE4"}));
}
#endif

}  // namespace
}  // namespace posenc::server
