#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::Return;

class StatusCommandTest : public CliTest {
 protected:
  void Serve() {
    posenc::CacheListing cache;
    cache.bytes = 2048;
    cache.capacity_bytes = 4096;
    cache.device = "cpu, AVX2";
    cache.server_version = "0.1.0";
    EXPECT_CALL(*connection_, CheckHealth)
        .WillRepeatedly(Return(posenc::Health::kServing));
    EXPECT_CALL(*connection_, ListCache).WillRepeatedly(Return(cache));
    EXPECT_CALL(*connection_, ListTables)
        .WillRepeatedly(Return(std::vector<posenc::TableInfo>(3)));
  }
};

TEST_F(StatusCommandTest, AServingServerIsCode0) {
  Serve();
  const Run run = RunPosenc({"status", "--address", "example:1"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out,
            "address       example:1\n"
            "health        SERVING\n"
            "version       0.1.0\n"
            "device        cpu, AVX2\n"
            "cache         2.0 KiB of 4.0 KiB\n"
            "tables        3\n");
}

TEST_F(StatusCommandTest, AnswersInJson) {
  Serve();
  EXPECT_EQ(RunPosenc({"status", "--address", "example:1", "--json"}).json(),
            Json::parse(R"({
    "address": "example:1", "health": "SERVING", "server_version": "0.1.0",
    "device": "cpu, AVX2", "cache": {"bytes": 2048, "capacity_bytes": 4096},
    "tables": 3})"));
}

TEST_F(StatusCommandTest, ADrainingServerIsCode3) {
  EXPECT_CALL(*connection_, CheckHealth)
      .WillRepeatedly(Return(posenc::Health::kNotServing));
  const Run text = RunPosenc({"status", "--address", "example:1"});
  EXPECT_EQ(text.code, 3);
  EXPECT_EQ(text.out,
            "address       example:1\n"
            "health        NOT_SERVING\n");
  EXPECT_EQ(text.err,
            "error: the server at example:1 does not serve (UNAVAILABLE)\n");
  const Run json = RunPosenc({"status", "--json"});
  EXPECT_EQ(json.json()["health"], "NOT_SERVING");
  EXPECT_EQ(json.error()["code"], "UNAVAILABLE");
}

TEST_F(StatusCommandTest, NoServerIsCode3) {
  connect_status_ = absl::UnavailableError("nobody there");
  const Run run = RunPosenc({"status"});
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.out, "");
}

TEST_F(StatusCommandTest, AServerThatIsNoPosencServerIsCode1) {
  EXPECT_CALL(*connection_, CheckHealth)
      .WillOnce(Return(posenc::Health::kServing));
  EXPECT_CALL(*connection_, ListCache)
      .WillOnce(Return(absl::UnimplementedError("unknown service")));
  const Run run = RunPosenc({"status"});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.err, "error: unknown service (UNIMPLEMENTED)\n");
}

}  // namespace
}  // namespace posenc::cli
