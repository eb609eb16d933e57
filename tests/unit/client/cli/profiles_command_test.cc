#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::Return;

class ProfilesCommandTest : public CliTest {
 protected:
  ProfilesCommandTest() {
    posenc::Profile checked{.name = "one",
                            .library = "lib",
                            .symbol = "Symbol",
                            .checked_version = "1.2"};
    checked.encoding.base = 500;
    EXPECT_CALL(*connection_, ListProfiles)
        .WillOnce(Return(std::vector<posenc::Profile>{
            checked, {.name = "two", .library = "other", .symbol = "S"}}));
  }
};

TEST_F(ProfilesCommandTest, ListsThem) {
  const Run run = RunPosenc({"encoding", "ls"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out,
            "profile  checked against      equals\n"
            "one      lib 1.2              lib Symbol\n"
            "two      its source or paper  other S\n");
}

TEST_F(ProfilesCommandTest, AnswersInJson) {
  EXPECT_EQ(RunPosenc({"encoding", "ls", "--json"}).json(), Json::parse(R"({
    "profiles": [
      {"name": "one", "library": "lib", "symbol": "Symbol",
       "checked_version": "1.2", "encoding": {"base": 500.0}},
      {"name": "two", "library": "other", "symbol": "S", "checked_version": "",
       "encoding": {}}]})"));
}

}  // namespace
}  // namespace posenc::cli
