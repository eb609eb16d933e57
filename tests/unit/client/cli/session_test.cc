#include "client/cli/session.h"

#include <sstream>

#include "client/cli/exit_code.h"
#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::Return;

class SessionTest : public testing::Test {
 protected:
  std::shared_ptr<testing::StrictMock<posenc::MockConnection>> connection_ =
      std::make_shared<testing::StrictMock<posenc::MockConnection>>();
  std::ostringstream out_;
  GlobalOptions options_;
  posenc::ClientOptions used_;
  int connects_ = 0;
  absl::Status status_;
  Environment environment_{
      .connect = [this](const posenc::ClientOptions& options)
          -> absl::StatusOr<posenc::Client> {
        used_ = options;
        ++connects_;
        if (!status_.ok()) return status_;
        return posenc::Client(connection_);
      },
      .out = out_,
      .err = out_};
};

TEST_F(SessionTest, ConnectsOnceAndWhenNeeded) {
  Session session(options_, environment_);
  EXPECT_EQ(connects_, 0);
  EXPECT_CALL(*connection_, CheckHealth)
      .Times(2)
      .WillRepeatedly(Return(posenc::Health::kServing));
  for (int i = 0; i < 2; ++i) {
    const auto health =
        session.Call(&posenc::Client::CheckHealth, posenc::CheckHealthParams());
    ASSERT_TRUE(health.ok());
  }
  EXPECT_EQ(connects_, 1);
}

TEST_F(SessionTest, PassesAddressAndTimeoutOn) {
  options_.address = "example:1";
  options_.timeout_seconds = 2.5;
  ASSERT_TRUE(Session(options_, environment_).Connect().ok());
  EXPECT_EQ(used_.address, "example:1");
  EXPECT_EQ(used_.timeout, std::chrono::milliseconds(2500));
  EXPECT_EQ(used_.connect_timeout, std::chrono::milliseconds(2500));
}

TEST_F(SessionTest, DoesNotWaitLongForAServerToConnect) {
  options_.timeout_seconds = 1000;
  ASSERT_TRUE(Session(options_, environment_).Connect().ok());
  EXPECT_EQ(used_.connect_timeout, posenc::ClientOptions().connect_timeout);
}

TEST_F(SessionTest, BadClientOptionsAreAUsageError) {
  Session session(options_, environment_);
  status_ = absl::InvalidArgumentError("no such address");
  EXPECT_EQ(ExitCodeFor(session.Connect().status()), ExitCode::kUsage);
  status_ = absl::UnavailableError("nobody there");
  EXPECT_EQ(session.Connect().status(), status_);
}

}  // namespace
}  // namespace posenc::cli
