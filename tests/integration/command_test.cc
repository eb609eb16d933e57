// The posenc command against a server, as a user would run it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/integration/served_test.h"
#include "tests/support/temporary_directory.h"

namespace posenc::testing {
namespace {

using nlohmann::json;

class CommandTest : public ServedTest {
 protected:
  void SetUp() override {
    std::vector<float> words(7 * 4);
    std::iota(words.begin(), words.end(), 0.0f);
    WriteNpy(directory_.File("words.npy"), {7, 4}, words);
    Serve({"--tables", directory_.path()});
  }

  Finished Posenc(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), POSENC_COMMAND);
    arguments.insert(arguments.end(), {"--address", server_->address()});
    return RunProgram(arguments);
  }

  TemporaryDirectory directory_;
};

TEST_F(CommandTest, EncodesAFileToAFile) {
  const std::vector<float> x(2 * 100 * 512, 0.5f);
  WriteNpy(directory_.File("x.in"), {2, 100, 512}, x);
  const std::string out = directory_.File("y.out");
  const Finished finished = Posenc(
      {"encode", directory_.File("x.in"), "-o", out, "--d-model", "512"});
  ASSERT_EQ(finished.exit_status, 0) << finished.err;
  const auto expected =
      client_->Encode(TensorView(std::span(x), {2, 100, 512}));
  ASSERT_TRUE(expected.ok());
  const std::string file = ReadFile(out);
  const auto bytes = expected->output.bytes();
  ASSERT_GT(file.size(), bytes.size());
  EXPECT_EQ(
      file.compare(file.size() - bytes.size(), bytes.size(),
                   reinterpret_cast<const char*>(bytes.data()), bytes.size()),
      0);
}

TEST_F(CommandTest, EncodesTypedIdsAsJson) {
  const Finished finished =
      Posenc({"encode", "--ids", "6,0", "--table", "words", "--json"});
  ASSERT_EQ(finished.exit_status, 0) << finished.err;
  const json result = json::parse(finished.out);
  EXPECT_EQ(result["shape"], json::parse("[1,2,4]"));
  EXPECT_EQ(result["embedding_scale"], 2.0);
  EXPECT_EQ(result["values"][0][0][0], 48.0);
  EXPECT_EQ(result["values"][0][0][1], 51.0);
}

TEST_F(CommandTest, ShowsWhatTheServerHolds) {
  EXPECT_THAT(Posenc({"tables", "ls"}).out, ::testing::HasSubstr("words"));
  EXPECT_EQ(Posenc({"status"}).exit_status, 0);
  EXPECT_EQ(
      Posenc({"cache", "warm", "--d-model", "8", "--count", "300"}).exit_status,
      0);
  EXPECT_THAT(Posenc({"cache", "ls"}).out, ::testing::HasSubstr("torchlingo"));
  EXPECT_EQ(Posenc({"cache", "evict", "--all"}).exit_status, 0);
  EXPECT_EQ(Posenc({"encoding", "show", "--d-model", "8"}).exit_status, 0);
  const std::string picture = directory_.File("map.png");
  EXPECT_EQ(Posenc({"encoding", "plot", "--d-model", "64", "-o", picture})
                .exit_status,
            0);
  EXPECT_EQ(ReadFile(picture).substr(1, 3), "PNG");
}

TEST_F(CommandTest, SaysWhatTheServerRefused) {
  const Finished refused = Posenc({"encode", "--ids", "7", "--table", "words"});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err,
              ::testing::HasSubstr("token id 7 at [0,0] is outside embedding "
                                   "table 'words', which has rows 0 to 6"));
  EXPECT_THAT(refused.err, ::testing::HasSubstr("TOKEN_ID_OUTSIDE_TABLE"));
}

TEST_F(CommandTest, SaysThatNobodyIsThere) {
  const std::string address = server_->address();
  EXPECT_EQ(server_->Terminate(), 0) << server_->Log();
  const Finished nobody = RunProgram(
      {POSENC_COMMAND, "status", "--address", address, "--timeout", "1"});
  EXPECT_EQ(nobody.exit_status, 3);
  EXPECT_THAT(nobody.err, ::testing::HasSubstr(address));
}

}  // namespace
}  // namespace posenc::testing
