#include "client/cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace posenc::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr std::uint64_t kMiB = 1 << 20;

class ProgressTest : public testing::Test {
 protected:
  Progress Make(bool is_terminal) {
    return Progress(
        err_, is_terminal, [this] { return now_; },
        [this] { return cancelled_; });
  }

  std::ostringstream err_;
  std::chrono::steady_clock::time_point now_;
  bool cancelled_ = false;
};

TEST_F(ProgressTest, SaysNothingElsewhere) {
  {
    Progress progress = Make(/*is_terminal=*/false);
    const posenc::CallOptions call = progress.Call();
    call.progress(5 * kMiB, 10 * kMiB);
    now_ += std::chrono::seconds(5);
    EXPECT_FALSE(call.cancelled());
  }
  EXPECT_EQ(err_.str(), "");
}

TEST_F(ProgressTest, PassesCancellationOn) {
  Progress progress = Make(true);
  const posenc::CallOptions call = progress.Call();
  EXPECT_FALSE(call.cancelled());
  cancelled_ = true;
  EXPECT_TRUE(call.cancelled());
}

TEST_F(ProgressTest, DrawsABarAndRemovesIt) {
  {
    Progress progress = Make(true);
    const posenc::CallOptions call = progress.Call();
    call.progress(5 * kMiB, 10 * kMiB);
    EXPECT_THAT(err_.str(), EndsWith("█░░░░░░░░░░░░░░░ 50 %  5.0 MiB of 10.0 "
                                     "MiB"));
    const std::string before = err_.str();
    call.progress(5 * kMiB + 1, 10 * kMiB);
    EXPECT_EQ(err_.str(), before);
    call.progress(10 * kMiB, 10 * kMiB);
    EXPECT_THAT(err_.str(), HasSubstr("█ 100 %"));
  }
  EXPECT_THAT(err_.str(), EndsWith("\r\x1b[K"));
}

TEST_F(ProgressTest, ShortTransfersGetNoBar) {
  {
    Progress progress = Make(true);
    progress.Call().progress(4 * kMiB, 8 * kMiB - 1);
  }
  EXPECT_EQ(err_.str(), "");
}

TEST_F(ProgressTest, CountsSecondsFromTheFirstOn) {
  {
    Progress progress = Make(true);
    const posenc::CallOptions call = progress.Call();
    now_ += std::chrono::milliseconds(999);
    call.cancelled();
    EXPECT_EQ(err_.str(), "");
    now_ += std::chrono::milliseconds(1);
    call.cancelled();
    EXPECT_THAT(err_.str(), EndsWith("waiting for the server … 1 s"));
    const std::string before = err_.str();
    now_ += std::chrono::milliseconds(500);
    call.cancelled();
    EXPECT_EQ(err_.str(), before);
  }
  EXPECT_THAT(err_.str(), EndsWith("\r\x1b[K"));
}

}  // namespace
}  // namespace posenc::cli
