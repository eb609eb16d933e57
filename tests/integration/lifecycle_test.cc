// Start, readiness, and the way down.

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "tests/integration/served_test.h"
#include "tests/support/temporary_directory.h"

namespace posenc::testing {
namespace {

class LifecycleTest : public ServedTest {};

// The server refuses to start, with that status and that reason.
void ExpectRefused(const std::vector<std::string>& flags, int exit_status,
                   const std::string& reason) {
  std::vector<std::string> command = {POSENC_SERVER};
  command.insert(command.end(), flags.begin(), flags.end());
  const Finished finished = RunProgram(command);
  EXPECT_EQ(finished.exit_status, exit_status) << finished.err;
  EXPECT_THAT(finished.err, ::testing::HasSubstr(reason));
  EXPECT_EQ(finished.out, "");
}

TEST_F(LifecycleTest, TheStartLineSaysWhatRunsWhere) {
  Serve();
  EXPECT_THAT(server_->start_line(),
              ::testing::MatchesRegex(
                  "posenc-server [0-9.]+ listening on 127\\.0\\.0\\.1:[0-9]+ "
                  "\\(cpu, [A-Z0-9_]+, 0 embedding tables\\)"));
}

TEST_F(LifecycleTest, AForcedSimdTargetIsUsed) {
  Serve({"--simd", "reference"});
  EXPECT_THAT(server_->start_line(), ::testing::HasSubstr("reference"));
  ExpectGood();
}

TEST_F(LifecycleTest, APortInUseIsSaid) {
  Serve();
  const std::string port =
      server_->address().substr(server_->address().find(':') + 1);
  ExpectRefused(
      {"--port", port}, 1,
      "cannot listen on 127.0.0.1:" + port + ": Address already in use");
  ExpectGood();
}

TEST_F(LifecycleTest, AUnixSocketIsServedBesides) {
  const TemporaryDirectory directory;
  const std::string path = directory.File("socket");
  Serve({"--unix-socket", path});
  ExpectGood();
  client_ = Connect({}, "unix:" + path);
  ExpectGood();
  ExpectRefused({"--port", "0", "--unix-socket", path}, 1,
                "cannot listen on " + path + ": Address already in use");
  ExpectGood();
  ExpectRefused({"--port", "0", "--unix-socket", std::string(108, 'x')}, 1,
                "has 108 bytes, but may have 107");
  ExpectRefused({"--port", "0", "--unix-socket", "/nonexistent/socket"}, 1,
                "cannot listen on /nonexistent/socket: No such file");
}

TEST_F(LifecycleTest, BadFlagsAndTablesAreRefused) {
  ExpectRefused({"--simd", "MMX"}, 2, "MMX");
  ExpectRefused({"--device", "abacus"}, 2, "abacus");
  ExpectRefused({"--host", "not an address"}, 1, "not an address");
  ExpectRefused({"--port", "0", "--port-file", "/nonexistent/port"}, 1,
                "/nonexistent/port");
  const TemporaryDirectory tables;
  std::ofstream(tables.File("bad.safetensors")) << "\x10\0\0\0\0\0\0\0{";
  ExpectRefused({"--tables", tables.path()}, 2, "bad.safetensors");
}

TEST_F(LifecycleTest, SigtermAndSigintEndWithSuccess) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Serve();
    ExpectGood();
    server_->Signal(signal);
    EXPECT_EQ(server_->Wait(), 0) << server_->Log();
  }
}

TEST_F(LifecycleTest, DrainingLetsCallsFinishAndTakesNoNewOnes) {
  Serve({"--drain-timeout", "5min"});
  auto stream = client_->OpenEncodeStream();
  ASSERT_TRUE(stream.ok()) << stream.status();
  const std::vector<float> x = {5};
  const EncodeParams message{.payload = TensorView(std::span(x), {1, 1, 1})};
  const auto ask = [&] {
    EXPECT_TRUE((*stream)->Send(message).ok());
    const auto answer = (*stream)->Receive();
    ASSERT_TRUE(answer.has_value() && answer->ok());
    EXPECT_EQ(Floats(**answer), x);
  };
  ask();
  server_->Signal(SIGTERM);
  while (*client_->CheckHealth() == Health::kServing) {
  }
  // The health turns first, so a call or two may still get in.
  absl::Status refused;
  while (refused.ok()) {
    refused = client_->Encode(TensorView(std::span(x), {1, 1, 1})).status();
  }
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ErrorReason(refused), "DRAINING");
  ask();
  EXPECT_TRUE((*stream)->FinishSending().ok());
  EXPECT_FALSE((*stream)->Receive().has_value());
  EXPECT_TRUE((*stream)->Finish().ok());
  EXPECT_EQ(server_->Wait(), 0) << server_->Log();
}

TEST_F(LifecycleTest, CallsThatDoNotFinishAreCutOff) {
  Serve({"--drain-timeout", "1ms"});
  auto stream = client_->OpenEncodeStream();
  ASSERT_TRUE(stream.ok()) << stream.status();
  const std::vector<float> x = {5};
  EXPECT_TRUE(
      (*stream)->Send({.payload = TensorView(std::span(x), {1, 1, 1})}).ok());
  ASSERT_TRUE((*stream)->Receive().has_value());
  EXPECT_EQ(server_->Terminate(), 0) << server_->Log();
  EXPECT_THAT(server_->Log(), ::testing::HasSubstr("calls_cut_off=1"));
  EXPECT_FALSE((*stream)->Receive().has_value());
  EXPECT_FALSE((*stream)->Finish().ok());
}

TEST_F(LifecycleTest, LogsAreJsonWhenAsked) {
  Serve({"--log-format", "json"});
  EXPECT_EQ(server_->Terminate(), 0) << server_->Log();
  EXPECT_THAT(
      server_->Log(),
      ::testing::HasSubstr(
          R"("level":"info","event":"stopping","signal":"Terminated"})"));
}

}  // namespace
}  // namespace posenc::testing
