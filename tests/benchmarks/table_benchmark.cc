// How fast encoding tables are built, beside memset of as many bytes and the
// plain double loop. A table is made as the server makes it: a new encoding,
// and its chunks from the table cache. In `warm` runs the memory has been
// written before; in `fresh` ones the cache has just been made, and memset
// gets its memory, in huge pages, from the system within the time. One thread
// builds, or two as the server's workers do.

#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/base/limits.h"
#include "server/core/encodings/sinusoidal.h"
#include "server/core/table_cache.h"
#include "server/devices/device.h"

namespace posenc::server {
namespace {

struct TableShape {
  std::int64_t positions;
  std::uint64_t d_model;
  int helpers = 0;  // threads that build, besides the first

  std::size_t chunks() const {
    return static_cast<std::size_t>(ChunkOf(positions - 1) + 1);
  }
  // Of whole chunks.
  std::size_t elements() const {
    return chunks() * static_cast<std::size_t>(kChunkRows) * d_model;
  }
  std::size_t bytes() const { return elements() * sizeof(double); }
  std::string name() const {
    return std::to_string(positions) + "x" + std::to_string(d_model);
  }
};

void SetCounters(benchmark::State& state, std::size_t elements) {
  const auto count = static_cast<double>(elements);
  state.counters["bytes_per_second"] = benchmark::Counter(
      count * sizeof(double), benchmark::Counter::kIsIterationInvariantRate,
      benchmark::Counter::kIs1024);
  state.counters["ns_per_element"] = benchmark::Counter(
      count * 1e-9, benchmark::Counter::kIsIterationInvariantRate |
                        benchmark::Counter::kInvert);
}

// Anonymous memory in huge pages where the system has them.
class Mapping {
 public:
  explicit Mapping(std::size_t bytes)
      : bytes_(bytes),
        data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED) std::abort();
    (void)madvise(data_, bytes_, MADV_HUGEPAGE);
  }
  ~Mapping() { munmap(data_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  void Fill() {
    std::memset(data_, 1, bytes_);
    benchmark::DoNotOptimize(data_);
    benchmark::ClobberMemory();
  }
  std::span<double> doubles() {
    return {static_cast<double*>(data_), bytes_ / sizeof(double)};
  }

 private:
  const std::size_t bytes_;
  void* const data_;
};

std::vector<Chunk> BuildChunks(TableCache& cache, std::uint64_t d_model,
                               std::int64_t first_chunk, std::size_t count) {
  const EncodingSpec spec{.d_model = d_model};
  const auto entry =
      cache.Find({Sinusoidal::Key(spec),
                  [&] { return std::make_shared<Sinusoidal>(spec); }},
                 spec);
  if (!entry.ok()) std::abort();
  std::vector<std::int64_t> indices(count);
  std::iota(indices.begin(), indices.end(), first_chunk);
  auto chunks = cache.Acquire(*entry, indices, TableCache::Miss::kBuild);
  if (!chunks.ok()) std::abort();
  return *std::move(chunks);
}

void WarmTable(benchmark::State& state, TableShape shape) {
  WorkerPool workers(shape.helpers);
  const auto device = *MakeDevice("cpu", kGiB, workers);
  TableCache cache(*device, 4 * kGiB, workers);
  // Memory stays the cache's as long as some of it is in use.
  constexpr std::int64_t kFarChunk = 1 << 20;
  const auto pinned = BuildChunks(cache, shape.d_model, kFarChunk, 1);
  BuildChunks(cache, shape.d_model, 0, shape.chunks());
  cache.Evict(std::nullopt);
  for (auto _ : state) {
    BuildChunks(cache, shape.d_model, 0, shape.chunks());
    state.PauseTiming();
    cache.Evict(std::nullopt);
    state.ResumeTiming();
  }
  SetCounters(state, shape.elements());
}

void FreshTable(benchmark::State& state, TableShape shape) {
  WorkerPool workers(shape.helpers);
  const auto device = *MakeDevice("cpu", kGiB, workers);
  for (auto _ : state) {
    state.PauseTiming();
    auto cache = std::make_unique<TableCache>(*device, 4 * kGiB, workers);
    state.ResumeTiming();
    auto chunks = BuildChunks(*cache, shape.d_model, 0, shape.chunks());
    state.PauseTiming();
    chunks.clear();
    cache.reset();
    state.ResumeTiming();
  }
  SetCounters(state, shape.elements());
}

void WarmMemset(benchmark::State& state, TableShape shape) {
  Mapping memory(shape.bytes());
  memory.Fill();
  for (auto _ : state) memory.Fill();
  SetCounters(state, shape.elements());
}

void FreshMemset(benchmark::State& state, TableShape shape) {
  for (auto _ : state) {
    auto memory = std::make_unique<Mapping>(shape.bytes());
    memory->Fill();
    state.PauseTiming();
    memory.reset();
    state.ResumeTiming();
  }
  SetCounters(state, shape.elements());
}

// What anybody would write: sines and cosines from libm, in double.
void PlainLoop(benchmark::State& state, TableShape shape) {
  Mapping memory(shape.bytes());
  memory.Fill();
  const std::span<double> table = memory.doubles();
  const double step = -2 * std::log(1e4) / static_cast<double>(shape.d_model);
  for (auto _ : state) {
    std::vector<double> w(shape.d_model / 2);
    for (std::size_t i = 0; i < w.size(); ++i) {
      w[i] = std::exp(static_cast<double>(i) * step);
    }
    double position = 0;
    for (std::size_t at = 0; at < table.size(); ++position) {
      for (const double frequency : w) {
        table[at++] = std::sin(position * frequency);
        table[at++] = std::cos(position * frequency);
      }
    }
    benchmark::ClobberMemory();
  }
  SetCounters(state, shape.elements());
}

void Register(const std::string& name,
              void (*run)(benchmark::State&, TableShape), TableShape shape) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [run, shape](benchmark::State& state) { run(state, shape); })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

void RegisterAll() {
  constexpr int kHelpers = 1;
  for (const TableShape shape :
       {TableShape{5000, 512}, TableShape{5000, 768}, TableShape{5000, 1024},
        TableShape{5000, 4096}, TableShape{32768, 4096}}) {
    Register("table/" + shape.name() + "/warm", &WarmTable, shape);
    Register("memset/" + shape.name() + "/warm", &WarmMemset, shape);
    Register("table/" + shape.name() + "/fresh", &FreshTable, shape);
    Register("memset/" + shape.name() + "/fresh", &FreshMemset, shape);
    TableShape shared = shape;
    shared.helpers = kHelpers;
    const std::string threads = "/" + std::to_string(kHelpers + 1) + "_threads";
    Register("table/" + shape.name() + "/warm" + threads, &WarmTable, shared);
    Register("table/" + shape.name() + "/fresh" + threads, &FreshTable, shared);
  }
  Register("plain_loop/5000x768", &PlainLoop, TableShape{5000, 768});
  for (const std::uint64_t d_model : {512, 768, 1024, 4096}) {
    Register("first_use/" + std::to_string(d_model), &FreshTable,
             TableShape{kChunkRows, d_model});
  }
}

}  // namespace
}  // namespace posenc::server

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  posenc::server::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
