#include "server/transport/log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace posenc::server {
namespace {

using std::chrono::milliseconds;

TEST(FormatEvent, TextQuotesWhatIsNotPlain) {
  EXPECT_EQ(FormatEvent(LogFormat::kText, "request failed",
                        {{"code", "NOT_FOUND"},
                         {"message", "no table \"x\"\nforged line"},
                         {"empty", ""}}),
            "request failed code=NOT_FOUND "
            "message=\"no table \\\"x\\\"\\nforged line\" empty=\"\"");
}

TEST(FormatEvent, JsonIsAnObjectWhateverTheBytes) {
  const std::string line =
      FormatEvent(LogFormat::kJson, "request failed",
                  {{"message", std::string("quote\" \n \xff\x00 end", 15)}});
  const auto object = nlohmann::json::parse("{" + line + "}");
  EXPECT_EQ(object["event"], "request failed");
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_TRUE(object["message"].get<std::string>().starts_with("quote\" \n "));
}

TEST(LogRate, LetsABurstThroughThenOneAnInterval) {
  LogRate rate(2, milliseconds(100));
  const LogRate::Clock::time_point start{};
  EXPECT_EQ(rate.Pass(start), 0u);
  EXPECT_EQ(rate.Pass(start), 0u);
  EXPECT_EQ(rate.Pass(start), std::nullopt);
  EXPECT_EQ(rate.Pass(start + milliseconds(99)), std::nullopt);
  EXPECT_EQ(rate.Pass(start + milliseconds(100)), 2u) << "held back before";
  EXPECT_EQ(rate.Pass(start + milliseconds(101)), std::nullopt);
  EXPECT_EQ(rate.Pass(start + milliseconds(10000)), 1u);
  EXPECT_EQ(rate.Pass(start + milliseconds(10000)), 0u);
  EXPECT_EQ(rate.Pass(start + milliseconds(10000)), std::nullopt)
      << "a long silence saves up no more than a burst";
}

}  // namespace
}  // namespace posenc::server
