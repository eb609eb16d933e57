#include <cstdlib>

#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::HasSubstr;
using testing::Return;

class RunCliTest : public CliTest {};

TEST_F(RunCliTest, HelpNamesCommandsExitCodesAndAnExample) {
  const Run run = RunPosenc({"--help"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  for (const char* part :
       {"encode", "encoding", "tables", "cache", "status", "POSENC_ADDRESS",
        "Exit codes: 0 done; 1", "130 interrupted", "Example:"}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
}

TEST_F(RunCliTest, EveryCommandHasHelpWithAnExample) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"encode"},
                                             {"encoding"},
                                             {"encoding", "show"},
                                             {"encoding", "get"},
                                             {"encoding", "plot"},
                                             {"tables"},
                                             {"tables", "ls"},
                                             {"tables", "show"},
                                             {"cache"},
                                             {"cache", "ls"},
                                             {"cache", "warm"},
                                             {"cache", "evict"},
                                             {"status"}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back("--help");
    std::string words = "  posenc";
    for (const std::string& word : command) words += " " + word;
    const Run run = RunPosenc(arguments);
    EXPECT_EQ(run.code, 0) << words;
    EXPECT_THAT(run.out, HasSubstr("Example"));
    EXPECT_THAT(run.out, HasSubstr(words));
    EXPECT_THAT(run.out, HasSubstr("--address, --timeout and --json go here"));
  }
}

TEST_F(RunCliTest, VersionGoesAnywhere) {
  EXPECT_EQ(RunPosenc({"--version"}).out, "posenc " POSENC_VERSION "\n");
  EXPECT_EQ(RunPosenc({"status", "--version"}).out,
            "posenc " POSENC_VERSION "\n");
  EXPECT_EQ(RunPosenc({"--version"}).code, 0);
}

TEST_F(RunCliTest, BadCommandLinesAreUsageErrors) {
  for (const auto& [arguments, complaint] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{}, "A subcommand is required"},
           {{"tables"}, "A subcommand is required"},
           {{"frobnicate"}, "what is 'frobnicate'?"},
           {{"tables", "frobnicate"}, "what is 'frobnicate'?"},
           {{"status", "--frobnicate"}, "what is '--frobnicate'?"},
           {{"status", "--timeout", "0"}, "'0' is not a number of seconds"},
           {{"status", "--timeout", "soon"}, "'soon' is not a number"},
           {{"status", "--timeout", "nan"}, "'nan' is not a number"},
           {{"status", "--address"}, "--address"}}) {
    const Run run = RunPosenc(arguments);
    EXPECT_EQ(run.code, 2) << complaint;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr("error: "));
    EXPECT_THAT(run.err, HasSubstr(complaint));
    EXPECT_THAT(run.err, HasSubstr("--help"));
  }
  EXPECT_EQ(connects_, 0);
}

TEST_F(RunCliTest, UsageErrorsAreJsonWhenAskedFor) {
  const Run run = RunPosenc({"--json", "frobnicate"});
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.error()["reason"], "USAGE");
  EXPECT_EQ(run.error()["message"], "what is 'frobnicate'?");
}

TEST_F(RunCliTest, GlobalOptionsGoBeforeAndAfterTheCommand) {
  EXPECT_CALL(*connection_, ListTables)
      .WillRepeatedly(Return(std::vector<posenc::TableInfo>()));
  RunPosenc({"--address", "one:1", "--timeout", "2", "tables", "ls"});
  EXPECT_EQ(client_options_.address, "one:1");
  EXPECT_EQ(client_options_.timeout, std::chrono::seconds(2));
  const Run run = RunPosenc(
      {"tables", "ls", "--address", "two:2", "--timeout", "0.5", "--json"});
  EXPECT_EQ(client_options_.address, "two:2");
  EXPECT_EQ(client_options_.timeout, std::chrono::milliseconds(500));
  EXPECT_EQ(run.json(), Json({{"tables", Json::array()}}));
}

TEST_F(RunCliTest, TheEnvironmentGivesTheAddress) {
  EXPECT_CALL(*connection_, ListTables)
      .WillRepeatedly(Return(std::vector<posenc::TableInfo>()));
  RunPosenc({"tables", "ls"});
  EXPECT_EQ(client_options_.address, posenc::ClientOptions().address);
  ASSERT_EQ(setenv("POSENC_ADDRESS", "env:3", 1), 0);
  RunPosenc({"tables", "ls"});
  EXPECT_EQ(client_options_.address, "env:3");
  RunPosenc({"tables", "ls", "--address", "flag:4"});
  EXPECT_EQ(client_options_.address, "flag:4");
  ASSERT_EQ(unsetenv("POSENC_ADDRESS"), 0);
}

TEST_F(RunCliTest, ARefusalIsCode1WithCodeAndReason) {
  EXPECT_CALL(*connection_, ListTables)
      .WillRepeatedly(Return(
          Refusal(absl::StatusCode::kNotFound, "no table", "TABLE_NOT_FOUND")));
  const Run text = RunPosenc({"tables", "ls"});
  EXPECT_EQ(text.code, 1);
  EXPECT_EQ(text.out, "");
  EXPECT_EQ(text.err, "error: no table (NOT_FOUND, TABLE_NOT_FOUND)\n");
  const Run json = RunPosenc({"tables", "ls", "--json"});
  EXPECT_EQ(json.code, 1);
  EXPECT_EQ(json.error(), Json({{"code", "NOT_FOUND"},
                                {"message", "no table"},
                                {"reason", "TABLE_NOT_FOUND"}}));
}

TEST_F(RunCliTest, NoServerIsCode3) {
  connect_status_ = absl::UnavailableError("nobody there");
  const Run run = RunPosenc({"tables", "ls"});
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.err, "error: nobody there (UNAVAILABLE)\n");
}

TEST_F(RunCliTest, NoAnswerInTimeIsCode3) {
  EXPECT_CALL(*connection_, ListTables)
      .WillOnce(Return(absl::DeadlineExceededError("too slow")));
  EXPECT_EQ(RunPosenc({"tables", "ls"}).code, 3);
}

TEST_F(RunCliTest, AnInterruptCancelsTheCallAndIsCode130) {
  EXPECT_CALL(*connection_, ListTables)
      .WillOnce([this](const posenc::ListTablesParams& params)
                    -> absl::StatusOr<std::vector<posenc::TableInfo>> {
        EXPECT_FALSE(params.call.cancelled());
        cancelled_ = true;
        EXPECT_TRUE(params.call.cancelled());
        return absl::CancelledError("interrupted");
      });
  EXPECT_EQ(RunPosenc({"tables", "ls"}).code, 130);
}

TEST_F(RunCliTest, ABadAddressIsAUsageError) {
  connect_status_ = absl::InvalidArgumentError("address is empty");
  EXPECT_EQ(RunPosenc({"tables", "ls"}).code, 2);
}

}  // namespace
}  // namespace posenc::cli
