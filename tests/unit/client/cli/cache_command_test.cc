#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::HasSubstr;
using testing::Return;

class CacheCommandTest : public CliTest {
 protected:
  static posenc::CacheListing Listing() {
    posenc::CachedEncoding entry;
    entry.encoding.d_model = 512;
    entry.chunks = 2;
    entry.bytes = 1 << 20;
    entry.chunks_built = 3;
    entry.hits = 40;
    posenc::CacheListing listing;
    listing.encodings = {entry};
    listing.bytes = 1 << 20;
    listing.capacity_bytes = 1 << 30;
    listing.hits = 41;
    listing.chunks_built = 5;
    listing.chunks_evicted = 1;
    listing.device = "cpu, AVX2";
    listing.server_version = "0.1.0";
    return listing;
  }
};

TEST_F(CacheCommandTest, Lists) {
  EXPECT_CALL(*connection_, ListCache).WillRepeatedly(Return(Listing()));
  EXPECT_EQ(RunPosenc({"cache", "ls"}).out,
            "device        cpu, AVX2\n"
            "used          1.0 MiB of 1.0 GiB\n"
            "hits          41\n"
            "chunks        5 built, 1 evicted\n"
            "\n"
            "chunks  size     built  hits  encoding\n"
            "2       1.0 MiB  3      40    {\"dModel\":512}\n");
  EXPECT_EQ(RunPosenc({"cache", "ls", "--json"}).json(), Json::parse(R"({
    "device": "cpu, AVX2", "server_version": "0.1.0", "bytes": 1048576,
    "capacity_bytes": 1073741824, "hits": 41, "chunks_built": 5,
    "chunks_evicted": 1, "encodings": [{"encoding": {"dModel": 512},
    "chunks": 2, "bytes": 1048576, "chunks_built": 3, "hits": 40}]})"));
}

TEST_F(CacheCommandTest, Warms) {
  EXPECT_CALL(*connection_, WarmCache)
      .WillRepeatedly([](const posenc::WarmCacheParams& params)
                          -> absl::StatusOr<posenc::WarmCacheResult> {
        EXPECT_EQ(params.encoding.d_model, 512u);
        EXPECT_EQ(params.first_position, -256);
        EXPECT_EQ(params.position_count, 1024u);
        posenc::WarmCacheResult result;
        result.encoding = params.encoding;
        result.chunks_built = 3;
        result.chunks_found = 1;
        return result;
      });
  const std::vector<std::string> arguments = {
      "cache", "warm", "--d-model", "512", "--from", "-256", "--count", "1024"};
  EXPECT_EQ(RunPosenc(arguments).out,
            "encoding      {\"dModel\":512}\n"
            "chunks        3 built, 1 there before\n");
  std::vector<std::string> in_json = arguments;
  in_json.push_back("--json");
  EXPECT_EQ(RunPosenc(in_json).json(), Json::parse(R"({
    "encoding": {"dModel": 512}, "chunks_built": 3, "chunks_found": 1})"));
}

TEST_F(CacheCommandTest, EvictsOneEncoding) {
  EXPECT_CALL(*connection_, EvictCache)
      .WillOnce([](const posenc::EvictCacheParams& params)
                    -> absl::StatusOr<posenc::EvictCacheResult> {
        EXPECT_TRUE(params.encoding);
        if (params.encoding) {
          EXPECT_EQ(params.encoding->profile, "marian");
        }
        return posenc::EvictCacheResult{2, 2048};
      });
  EXPECT_EQ(
      RunPosenc({"cache", "evict", "--profile", "marian", "--d-model", "8"})
          .out,
      "evicted       2 chunks, 2.0 KiB\n");
}

TEST_F(CacheCommandTest, EvictsAll) {
  EXPECT_CALL(*connection_, EvictCache)
      .WillOnce([](const posenc::EvictCacheParams& params)
                    -> absl::StatusOr<posenc::EvictCacheResult> {
        EXPECT_FALSE(params.encoding);
        return posenc::EvictCacheResult{5, 4096};
      });
  EXPECT_EQ(RunPosenc({"cache", "evict", "--all", "--json"}).json(),
            Json({{"chunks", 5}, {"bytes", 4096}}));
}

TEST_F(CacheCommandTest, BadUsageIsFoundBeforeAnyCall) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{
           {"cache", "evict"}, {"cache", "evict", "--all", "--d-model", "8"}}) {
    const Run run = RunPosenc(arguments);
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, HasSubstr("which encoding?"));
  }
  const Run warm = RunPosenc({"cache", "warm", "--d-model", "8"});
  EXPECT_EQ(warm.code, 2);
  EXPECT_THAT(warm.err, HasSubstr("--count is required"));
  EXPECT_EQ(connects_, 0);
}

TEST_F(CacheCommandTest, PassesTheServersRefusalOn) {
  EXPECT_CALL(*connection_, WarmCache)
      .WillOnce(Return(Refusal(absl::StatusCode::kResourceExhausted, "too much",
                               "CACHE_BUDGET")));
  const Run run =
      RunPosenc({"cache", "warm", "--d-model", "8", "--count", "1"});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.err, "error: too much (RESOURCE_EXHAUSTED, CACHE_BUDGET)\n");
}

}  // namespace
}  // namespace posenc::cli
