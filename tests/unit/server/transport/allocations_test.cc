// What a request costs in memory once its like has been seen: no block as large
// as a payload, and few of the others.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "posenc/v1/positional_encoding.pb.h"
#include "server/base/limits.h"
#include "server/core/embedding_store.h"
#include "server/core/table_cache.h"
#include "server/devices/cpu_device.h"
#include "server/kernels/kernels.h"
#include "server/service/engine.h"
#include "server/transport/encode_planner.h"
#include "tests/support/allocation_count.h"
#include "tests/support/temporary_directory.h"

namespace posenc::server {
namespace {

using testing::AllocationCount;
using testing::CountAllocations;

// Blocks of a small request: lists of its slices, its pieces, its rows' places,
// the chunks, the response's slices. A large one has more chunks, and tiles.
constexpr int kMostBlocksOfSmall = 24;
constexpr int kMostBlocksOfLarge = 60;
constexpr std::size_t kSliceBytes = 64 * kKiB;

v1::EncodeRequest EmbeddingsOf(std::uint64_t sequence) {
  v1::EncodeRequest request;
  auto& tensor = *request.mutable_embeddings();
  tensor.set_dtype(v1::FLOAT32);
  for (const std::uint64_t extent :
       {std::uint64_t{1}, sequence, std::uint64_t{768}}) {
    tensor.add_shape(extent);
  }
  tensor.set_data(std::string(sequence * 768 * sizeof(float), '\1'));
  return request;
}

class AllocationsTest : public ::testing::Test {
 protected:
  // One request as it comes from a socket: in slices, of which the planner has
  // the only references.
  AllocationCount Encode(const v1::EncodeRequest& request,
                         std::size_t large_bytes) {
    const std::string bytes = request.SerializeAsString();
    std::vector<grpc::Slice> slices;
    for (std::size_t i = 0; i < bytes.size(); i += kSliceBytes) {
      slices.emplace_back(bytes.substr(i, kSliceBytes));
    }
    grpc::ByteBuffer message(slices.data(), slices.size());
    grpc::ByteBuffer response;
    return CountAllocations(large_bytes, [&] {
      auto job = planner_.Plan(message);
      ASSERT_TRUE(job.ok()) << job.status();
      auto answer = job->Run(*engine_);
      ASSERT_TRUE(answer.ok()) << answer.status();
      response = *std::move(answer);
    });
  }

  WorkerPool workers_{1};
  CpuDevice device_{ActiveKernels(), kGiB, workers_};
  EmbeddingStore tables_;
  TableCache cache_{device_, kDefaultCacheBytes, workers_};
  std::unique_ptr<Engine> engine_ =
      MakeEngine(device_, tables_, cache_, {kDefaultMaxMessageBytes});
  EncodePlanner planner_{*engine_};
};

TEST_F(AllocationsTest, TheCounterCounts) {
  if (!testing::kCountsAllocations) GTEST_SKIP() << "a sanitizer's malloc";
  const AllocationCount count = CountAllocations(kMiB, [] {
    const auto small = std::make_unique<std::string>(100, 'x');
    const auto large = std::make_unique<std::byte[]>(kMiB);
  });
  EXPECT_EQ(count.all, 3);
  EXPECT_EQ(count.large, 1);
}

TEST_F(AllocationsTest, AKnownRequestNeedsFewBlocksAndNoneOfItsSize) {
  for (const std::uint64_t sequence : {1u, 128u, 1024u}) {
    const v1::EncodeRequest request = EmbeddingsOf(sequence);
    Encode(request, 1);
    const std::size_t payload = request.embeddings().data().size();
    // A list of 1024 rows is 16 KiB, which is more than a small payload.
    const AllocationCount count =
        Encode(request, std::max<std::size_t>(payload / 8, 32 * kKiB));
    EXPECT_LE(count.all,
              sequence > 128 ? kMostBlocksOfLarge : kMostBlocksOfSmall)
        << sequence;
    EXPECT_EQ(count.large, 0) << sequence;
  }
}

TEST_F(AllocationsTest, AnotherTypeTakesItsBufferFromThePool) {
  v1::EncodeRequest request = EmbeddingsOf(1024);
  request.set_output_dtype(v1::BFLOAT16);
  Encode(request, 1);
  const auto before = device_.pool_counters();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Encode(request, 256 * kKiB).large, 0);
  }
  const auto after = device_.pool_counters();
  EXPECT_EQ(after.pool_hits - before.pool_hits, 10u);
  EXPECT_EQ(after.allocations, before.allocations);
}

}  // namespace
}  // namespace posenc::server
