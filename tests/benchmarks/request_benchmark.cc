// What posenc-server adds to the transport: the message is planned, encoded and
// put together again, without a network. The payload grows with each turn,
// which costs the same.

#include <benchmark/benchmark.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdlib>
#include <string>

#include "posenc/v1/positional_encoding.pb.h"
#include "server/base/limits.h"
#include "server/core/embedding_store.h"
#include "server/core/table_cache.h"
#include "server/devices/device.h"
#include "server/service/engine.h"
#include "server/transport/encode_planner.h"

namespace posenc::server {
namespace {

std::string MessageOf(std::uint64_t sequence) {
  constexpr std::uint64_t kWidth = 768;
  v1::EncodeRequest request;
  auto& tensor = *request.mutable_embeddings();
  tensor.set_dtype(v1::FLOAT32);
  for (const std::uint64_t extent : {std::uint64_t{1}, sequence, kWidth}) {
    tensor.add_shape(extent);
  }
  tensor.set_data(std::string(sequence * kWidth * sizeof(float), '\1'));
  return request.SerializeAsString();
}

void Request(benchmark::State& state) {
  WorkerPool workers(1);
  const auto device = *MakeDevice("cpu", kGiB, workers);
  const EmbeddingStore tables;
  TableCache cache(*device, kGiB, workers);
  const auto engine = MakeEngine(
      *device, tables, cache, {.max_message_bytes = kDefaultMaxMessageBytes});
  EncodePlanner planner(*engine);
  const grpc::Slice slice(
      MessageOf(static_cast<std::uint64_t>(state.range(0))));
  for (auto _ : state) {
    grpc::ByteBuffer message(&slice, 1);
    auto job = planner.Plan(message);
    if (!job.ok()) std::abort();
    benchmark::DoNotOptimize(job->Run(*engine));
  }
}

BENCHMARK(Request)->Name("request")->Arg(1)->Arg(128);

}  // namespace
}  // namespace posenc::server

BENCHMARK_MAIN();
