// How fast encodings are added, against memcpy of as many bytes:
//
//   kernel/<target>/<in>_<out>/<op>/<regime>/<cut>
//   rotate/<target>/<in>_<out>/<pairing>_<head>/<regime>
//   memcpy/<regime>
//
// op      add (scale 1), scale_add, or gather_add (scaled rows of a table)
// regime  where the working set lies: L2, L3 or memory
// cut     the input's segments: contiguous, 8KiB or 64KiB at odd addresses
//
// A contiguous add is one call of the kernel; the others go through the CPU
// device, which cuts and gathers. bytes_per_second counts what must be read and
// written: input, encoding and output; for memcpy, source and target.
//
// A rotate turns rows of `head` elements, each with an encoding of its own. An
// add of as many elements takes turns with it: times_add is how many times as
// long the rotate takes at best.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/base/dtype.h"
#include "server/base/limits.h"
#include "server/devices/cpu_device.h"
#include "server/kernels/kernels.h"
#include "tests/support/elements.h"

namespace posenc::server {
namespace {

constexpr std::uint64_t kWidth = 768;
constexpr std::uint64_t kTableRows = 30522;  // a common vocabulary

struct Regime {
  const char* name;
  std::uint64_t bytes;  // of the whole working set
};
constexpr Regime kL2{"L2", 256 * kKiB};
constexpr Regime kL3{"L3", 8 * kMiB};
constexpr Regime kMemory{"memory", 96 * kMiB};

struct Cut {
  const char* name;
  std::size_t bytes;  // of a segment; 0 for one segment
};
constexpr Cut kContiguous{"contiguous", 0};
constexpr Cut kCuts[] = {{"8KiB", 8 * kKiB}, {"64KiB", 64 * kKiB}};

struct Operation {
  const char* name;
  double scale;
};
constexpr Operation kAdd{"add", 1.0};
constexpr Operation kScaleAdd{"scale_add", 1.1};
constexpr Operation kGatherAdd{"gather_add", 27.7};

struct Conversion {
  DType in;
  DType out;

  std::uint64_t BytesPerElement() const {
    return SizeOf(in) + sizeof(double) + SizeOf(out);
  }
};
constexpr Conversion kConversions[] = {{DType::kFloat32, DType::kFloat32},
                                       {DType::kFloat16, DType::kFloat16},
                                       {DType::kBFloat16, DType::kBFloat16},
                                       {DType::kFloat64, DType::kFloat64},
                                       {DType::kFloat32, DType::kBFloat16}};

// Bytes that start some cache lines into a page: streams at the same place of
// their pages would contend for the same sets and look like overlapping ones.
class Buffer {
 public:
  Buffer(std::size_t bytes, std::size_t lines) : offset_(lines * kLine) {
    const std::size_t pages = (bytes + offset_ + kPage - 1) / kPage;
    memory_.reset(std::aligned_alloc(kPage, pages * kPage));
    if (memory_ == nullptr) std::abort();
    bytes_ = {static_cast<std::byte*>(memory_.get()) + offset_, bytes};
    std::fill(bytes_.begin(), bytes_.end(), std::byte{0});
  }

  std::span<std::byte> bytes() const { return bytes_; }
  std::byte* data() const { return bytes_.data(); }

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kLine = 64;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::size_t offset_;
  std::unique_ptr<void, Free> memory_;
  std::span<std::byte> bytes_;
};

constexpr std::size_t kInputLine = 0;
constexpr std::size_t kOutputLine = 4;
constexpr std::size_t kEncodingLine = 9;

Buffer RandomElements(DType dtype, std::uint64_t count, std::size_t line) {
  std::mt19937_64 random(line);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> drawn(4096);
  for (double& x : drawn) x = value(random);
  const std::vector<std::byte> block = testing::Elements(dtype, drawn);
  Buffer buffer(count * SizeOf(dtype), line);
  const std::span<std::byte> bytes = buffer.bytes();
  for (std::size_t at = 0; at < bytes.size(); at += block.size()) {
    std::memcpy(&bytes[at], block.data(),
                std::min(block.size(), bytes.size() - at));
  }
  return buffer;
}

void CountElements(benchmark::State& state, const Conversion& conversion,
                   std::uint64_t elements) {
  const auto total = state.iterations() * static_cast<std::int64_t>(elements);
  state.SetBytesProcessed(
      total * static_cast<std::int64_t>(conversion.BytesPerElement()));
  state.counters["elements_per_second"] = benchmark::Counter(
      static_cast<double>(total), benchmark::Counter::kIsRate);
}

void Memcpy(benchmark::State& state, const Regime& regime) {
  const std::size_t bytes = regime.bytes / 2;
  const Buffer in(bytes, kInputLine);
  const Buffer out(bytes, kOutputLine);
  for (auto _ : state) {
    std::memcpy(out.data(), in.data(), bytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(2 * bytes));
}

void AddContiguous(benchmark::State& state, const Kernels& kernels,
                   const Conversion& conversion, double scale,
                   const Regime& regime) {
  const std::uint64_t count = regime.bytes / conversion.BytesPerElement();
  const Buffer in = RandomElements(conversion.in, count, kInputLine);
  const Buffer encoding = RandomElements(DType::kFloat64, count, kEncodingLine);
  const Buffer out(count * SizeOf(conversion.out), kOutputLine);
  const AddFunction add = kernels.Add(conversion.in, conversion.out);
  for (auto _ : state) {
    add(in.data(), reinterpret_cast<const double*>(encoding.data()), scale,
        out.data(), count);
    benchmark::ClobberMemory();
  }
  CountElements(state, conversion, count);
}

constexpr std::uint64_t kHeads[] = {64, 128};

struct NamedPairing {
  const char* name;
  Pairing pairing;
};
constexpr NamedPairing kNamedPairings[] = {{"adjacent", Pairing::kAdjacent},
                                           {"halves", Pairing::kHalves}};

template <typename Work>
double SecondsOf(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  benchmark::ClobberMemory();
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  return taken.count();
}

void RotateContiguous(benchmark::State& state, const Kernels& kernels,
                      const Conversion& conversion, Pairing pairing,
                      std::uint64_t head, const Regime& regime) {
  const std::uint64_t rows =
      regime.bytes / (conversion.BytesPerElement() * head);
  const std::uint64_t count = rows * head;
  const Buffer in = RandomElements(conversion.in, count, kInputLine);
  const Buffer encoding = RandomElements(DType::kFloat64, count, kEncodingLine);
  const Buffer out(count * SizeOf(conversion.out), kOutputLine);
  const auto* encodings = reinterpret_cast<const double*>(encoding.data());
  const AddFunction add = kernels.Add(conversion.in, conversion.out);
  const RotatePairsFunction rotate =
      kernels.RotatePairs(pairing, conversion.in, conversion.out);
  const PairRows pair_rows{rows, head, head / 2, head, 1.0};
  // The least of all, since the machine may be busy with others too.
  constexpr double kForever = std::numeric_limits<double>::infinity();
  double add_seconds = kForever, rotate_seconds = kForever;
  for (auto _ : state) {
    add_seconds = std::min(add_seconds, SecondsOf([&] {
                             add(in.data(), encodings, 1.0, out.data(), count);
                           }));
    const double seconds =
        SecondsOf([&] { rotate(in.data(), encodings, pair_rows, out.data()); });
    rotate_seconds = std::min(rotate_seconds, seconds);
    state.SetIterationTime(seconds);
  }
  CountElements(state, conversion, count);
  state.counters["times_add"] = rotate_seconds / add_seconds;
}

// A matrix that the device holds.
struct Held {
  Held(CpuDevice& device, DType dtype, std::uint64_t rows, std::size_t line)
      : elements(std::make_shared<const Buffer>(
            RandomElements(dtype, rows * kWidth, line))),
        table(*device.Hold({dtype, rows, kWidth, elements->data(), elements})) {
  }

  std::shared_ptr<const Buffer> elements;
  std::unique_ptr<DeviceTable> table;
};

// Runs the op, which lacks only its encoding, of as many rows as it has, and
// its output.
void RunOp(benchmark::State& state, CpuDevice& device,
           const Conversion& conversion, AddOp op) {
  const Held encoding(device, DType::kFloat64, op.rows, kEncodingLine);
  std::vector<TableRow> rows;
  for (std::uint64_t i = 0; i < op.rows; ++i) {
    rows.push_back({encoding.table.get(), i});
  }
  op.encoding.rows = rows;
  op.output_dtype = conversion.out;
  const std::uint64_t elements = op.rows * op.width;
  const Buffer out(elements * SizeOf(conversion.out), kOutputLine);
  for (auto _ : state) {
    if (!device.Add(op, out.bytes()).ok()) std::abort();
    benchmark::ClobberMemory();
  }
  CountElements(state, conversion, elements);
}

std::uint64_t RowsOf(const Regime& regime, const Conversion& conversion) {
  return regime.bytes / (kWidth * conversion.BytesPerElement());
}

// A payload in pieces, each at an odd address.
struct CutPayload {
  CutPayload(std::span<const std::byte> whole, std::size_t size) {
    for (std::size_t at = 0; at < whole.size(); at += size) {
      const std::size_t length = std::min(size, whole.size() - at);
      const Buffer& piece = pieces.emplace_back(length + 1, kInputLine);
      std::memcpy(piece.data() + 1, &whole[at], length);
      segments.push_back(Segment(piece.bytes()).subspan(1));
    }
  }

  std::vector<Buffer> pieces;
  std::vector<Segment> segments;
};

void AddCut(benchmark::State& state, const Kernels& kernels,
            const Conversion& conversion, double scale, const Regime& regime,
            std::size_t segment_bytes) {
  WorkerPool workers(0);  // one thread, as memcpy has
  CpuDevice device(kernels, kGiB, workers);
  const std::uint64_t rows = RowsOf(regime, conversion);
  const CutPayload input(
      RandomElements(conversion.in, rows * kWidth, kInputLine).bytes(),
      segment_bytes);
  RunOp(state, device, conversion,
        {{.rows = rows,
          .width = kWidth,
          .scale = scale,
          .input_dtype = conversion.in,
          .input = input.segments}});
}

void GatherAdd(benchmark::State& state, const Kernels& kernels,
               const Conversion& conversion, double scale,
               const Regime& regime) {
  WorkerPool workers(0);  // one thread, as memcpy has
  CpuDevice device(kernels, kGiB, workers);
  const Held table(device, conversion.in, kTableRows, kInputLine);
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> ids(RowsOf(regime, conversion));
  for (std::uint64_t& id : ids) id = random() % kTableRows;
  RunOp(state, device, conversion,
        {{.rows = ids.size(),
          .width = kWidth,
          .scale = scale,
          .gather = table.table.get(),
          .ids = ids}});
}

std::string BenchmarkName(const Kernels& kernels, const Conversion& conversion,
                          const Operation& operation, const Regime& regime,
                          const Cut& cut) {
  return "kernel/" + std::string(kernels.target) + "/" +
         std::string(Name(conversion.in)) + "_" +
         std::string(Name(conversion.out)) + "/" + operation.name + "/" +
         regime.name + "/" + cut.name;
}

void RegisterContiguous(const Kernels& kernels, const Conversion& conversion,
                        const Operation& operation, const Regime& regime) {
  const std::string name =
      BenchmarkName(kernels, conversion, operation, regime, kContiguous);
  benchmark::RegisterBenchmark(name.c_str(), [=, &kernels](auto& state) {
    AddContiguous(state, kernels, conversion, operation.scale, regime);
  });
}

void RegisterCut(const Kernels& kernels, const Conversion& conversion,
                 const Operation& operation, const Regime& regime) {
  for (const Cut& cut : kCuts) {
    const std::string name =
        BenchmarkName(kernels, conversion, operation, regime, cut);
    benchmark::RegisterBenchmark(name.c_str(), [=, &kernels](auto& state) {
      AddCut(state, kernels, conversion, operation.scale, regime, cut.bytes);
    });
  }
}

void RegisterGather(const Kernels& kernels, const Conversion& conversion,
                    const Regime& regime) {
  const std::string name =
      BenchmarkName(kernels, conversion, kGatherAdd, regime, kContiguous);
  benchmark::RegisterBenchmark(name.c_str(), [=, &kernels](auto& state) {
    GatherAdd(state, kernels, conversion, kGatherAdd.scale, regime);
  });
}

void RegisterRotate(const Kernels& kernels, const Conversion& conversion,
                    const Regime& regime) {
  for (const auto& [pairing_name, pairing] : kNamedPairings) {
    for (const std::uint64_t head : kHeads) {
      const std::string name = "rotate/" + std::string(kernels.target) + "/" +
                               std::string(Name(conversion.in)) + "_" +
                               std::string(Name(conversion.out)) + "/" +
                               pairing_name + "_" + std::to_string(head) + "/" +
                               regime.name;
      benchmark::RegisterBenchmark(name.c_str(), [=, &kernels,
                                                  pairing =
                                                      pairing](auto& state) {
        RotateContiguous(state, kernels, conversion, pairing, head, regime);
      })->UseManualTime();
    }
  }
}

// Every target in L2; the active one also elsewhere, cut and gathered.
void RegisterAll() {
  for (const Regime& regime : {kL2, kL3, kMemory}) {
    const std::string name = std::string("memcpy/") + regime.name;
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](auto& state) { Memcpy(state, regime); });
  }
  std::vector<std::string> others = SupportedTargets();
  others.emplace_back(ReferenceKernels().target);
  std::erase(others, ActiveKernels().target);
  for (const Conversion& conversion : kConversions) {
    for (const Operation& operation : {kAdd, kScaleAdd}) {
      for (const std::string& target : others) {
        RegisterContiguous(*KernelsFor(target), conversion, operation, kL2);
      }
      for (const Regime& regime : {kL2, kL3, kMemory}) {
        RegisterContiguous(ActiveKernels(), conversion, operation, regime);
        RegisterCut(ActiveKernels(), conversion, operation, regime);
      }
    }
    for (const std::string& target : others) {
      RegisterRotate(*KernelsFor(target), conversion, kL2);
    }
    for (const Regime& regime : {kL2, kL3, kMemory}) {
      RegisterGather(ActiveKernels(), conversion, regime);
      RegisterRotate(ActiveKernels(), conversion, regime);
    }
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
