#include "server/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/temporary_directory.h"

namespace posenc::server {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  CommandLine command;
  std::string out;
  std::string err;
};

Outcome Read(std::vector<std::string> arguments) {
  std::vector<const char*> argv = {"posenc-server"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  std::ostringstream out, err;
  Outcome outcome;
  outcome.command =
      ReadCommandLine(static_cast<int>(argv.size()), argv.data(), out, err);
  outcome.out = out.str();
  outcome.err = err.str();
  return outcome;
}

void ExpectRefused(const std::vector<std::string>& arguments,
                   const std::string& reason) {
  const Outcome outcome = Read(arguments);
  EXPECT_EQ(outcome.command.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr(reason));
}

class ConfigFileTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& content) {
    std::ofstream(directory_.File("posenc.toml")) << content;
    return directory_.File("posenc.toml");
  }
  testing::TemporaryDirectory directory_;
};

TEST(CommandLine, NeedsNoArguments) {
  const Outcome outcome = Read({});
  EXPECT_EQ(outcome.command.exit_code, std::nullopt);
  EXPECT_EQ(outcome.command.config.host, "127.0.0.1");
  EXPECT_EQ(outcome.command.config.port, 50051);
  EXPECT_EQ(outcome.command.config.drain_timeout, std::chrono::seconds(30));
}

TEST(CommandLine, ReadsSizesAndTimesWithUnits) {
  const Config config = Read({"--cache-bytes", "2GiB", "--drain-timeout",
                              "1500ms", "--log-format", "json"})
                            .command.config;
  EXPECT_EQ(config.cache_bytes, 2 * kGiB);
  EXPECT_EQ(config.drain_timeout, std::chrono::milliseconds(1500));
  EXPECT_EQ(config.log_format, LogFormat::kJson);
}

TEST(CommandLine, RefusesWhatItDoesNotKnow) {
  ExpectRefused({"--nope"}, "--nope");
  ExpectRefused({"extra"}, "extra");
  ExpectRefused({"--port", "x"}, "--port");
  ExpectRefused({"--port", "65536"}, "--port is 65536, but must be 0 to 65535");
  ExpectRefused({"--port", "-1"}, "--port is ");
  ExpectRefused({"--threads", "1000"}, "--threads is 1000");
  ExpectRefused({"--cache-bytes", "12xx"}, "--cache-bytes");
  ExpectRefused({"--cache-bytes", "-1"}, "--cache-bytes");
  ExpectRefused({"--drain-timeout", "30"}, "--drain-timeout");
  ExpectRefused({"--max-message-bytes", "3GiB"},
                "--max-message-bytes is 3221225472, but must be 131072 to "
                "2147483647");
  ExpectRefused({"--max-response-bytes", "1MiB"},
                "--max-response-bytes is 1048576");
  ExpectRefused({"--log-level", "loud"}, "--log-level");
  ExpectRefused({"--tables", "/nonexistent"}, "'/nonexistent'");
  ExpectRefused({"--config", "/nonexistent"}, "/nonexistent");
}

TEST_F(ConfigFileTest, HasTheFlagsNamesAndAFlagWins) {
  const std::string file = Write("port = 7\nhost = \"::1\"\n");
  const Config config = Read({"--config", file, "--port", "8"}).command.config;
  EXPECT_EQ(config.port, 8);
  EXPECT_EQ(config.host, "::1");
}

TEST_F(ConfigFileTest, UnknownKeysAndBadValuesAreRefused) {
  ExpectRefused({"--config", Write("prot = 7\n")}, "prot");
  ExpectRefused({"--config", Write("port = 70000\n")}, "--port is 70000");
}

TEST_F(ConfigFileTest, PrintConfigPrintsAConfigFile) {
  const Outcome printed =
      Read({"--print-config", "--port", "7", "--cache-bytes", "2GiB"});
  EXPECT_EQ(printed.command.exit_code, 0);
  const Config config = Read({"--config", Write(printed.out)}).command.config;
  EXPECT_EQ(config.port, 7);
  EXPECT_EQ(config.cache_bytes, 2 * kGiB);
  EXPECT_EQ(config.drain_timeout, std::chrono::seconds(30));
}

TEST(CommandLine, HelpAndVersionEndWithSuccess) {
  const Outcome help = Read({"--help"});
  EXPECT_EQ(help.command.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("--drain-timeout"));
  const Outcome version = Read({"--version"});
  EXPECT_EQ(version.command.exit_code, 0);
  EXPECT_THAT(version.out, HasSubstr("posenc-server 0."));
}

}  // namespace
}  // namespace posenc::server
