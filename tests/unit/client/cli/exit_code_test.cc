#include "client/cli/exit_code.h"

#include <sstream>

#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

std::string Printed(const absl::Status& status, bool json) {
  std::ostringstream err;
  PrintError(status, json, err);
  return err.str();
}

TEST(ExitCodeTest, FollowsTheStatus) {
  EXPECT_EQ(ExitCodeFor(absl::OkStatus()), ExitCode::kOk);
  EXPECT_EQ(ExitCodeFor(LocalError("x")), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeFor(absl::InvalidArgumentError("x")), ExitCode::kRefused);
  EXPECT_EQ(ExitCodeFor(absl::NotFoundError("x")), ExitCode::kRefused);
  EXPECT_EQ(ExitCodeFor(absl::InternalError("x")), ExitCode::kRefused);
  EXPECT_EQ(ExitCodeFor(absl::UnavailableError("x")), ExitCode::kUnreachable);
  EXPECT_EQ(ExitCodeFor(absl::DeadlineExceededError("x")),
            ExitCode::kUnreachable);
  EXPECT_EQ(ExitCodeFor(absl::CancelledError("x")), ExitCode::kCancelled);
}

TEST(ExitCodeTest, PrintsForPeople) {
  EXPECT_EQ(Printed(LocalError("bad file"), false), "error: bad file\n");
  EXPECT_EQ(Printed(absl::NotFoundError("no table"), false),
            "error: no table (NOT_FOUND)\n");
}

TEST(ExitCodeTest, PrintsForMachines) {
  EXPECT_EQ(Printed(LocalError("bad \"file\""), true),
            "{\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"bad "
            "\\\"file\\\"\",\"reason\":\"USAGE\"}}\n");
  EXPECT_EQ(Printed(absl::NotFoundError("\xFF"), true),
            "{\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"\xEF\xBF\xBD\","
            "\"reason\":\"\"}}\n");
}

}  // namespace
}  // namespace posenc::cli
