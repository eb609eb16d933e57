// How fast encodings are added: the kernels of every target beside the plain
// loop and memcpy, and the CPU device around them. Bytes are those of the input
// and the output; the encoding's, two to four times an output row's, are read
// on top and not counted.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
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
constexpr std::uint64_t kSequence = 64;       // rows of the encoding
constexpr std::uint64_t kCachedRows = 64;     // all of it in 1 MiB of L2
constexpr std::uint64_t kMemoryRows = 32768;  // 96 MiB of float32
constexpr std::uint64_t kTableRows = 30522;   // a common vocabulary

std::vector<std::byte> RandomElements(DType dtype, std::uint64_t count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> drawn(4096);
  for (double& x : drawn) x = value(random);
  const std::vector<std::byte> block = testing::Elements(dtype, drawn);
  std::vector<std::byte> bytes(count * SizeOf(dtype));
  for (std::size_t at = 0; at < bytes.size(); at += block.size()) {
    std::memcpy(&bytes[at], block.data(),
                std::min(block.size(), bytes.size() - at));
  }
  return bytes;
}

void Memcpy(benchmark::State& state, std::uint64_t rows) {
  const std::vector<std::byte> in(rows * kWidth * sizeof(float), std::byte{1});
  std::vector<std::byte> out(in.size());
  for (auto _ : state) {
    std::memcpy(out.data(), in.data(), in.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(2 * in.size()));
}

void AddKernel(benchmark::State& state, const Kernels& kernels, DType in_type,
               DType out_type) {
  constexpr std::uint64_t kCount = kCachedRows * kWidth;
  const auto in = RandomElements(in_type, kCount);
  const auto encoding = RandomElements(DType::kFloat64, kCount);
  std::vector<std::byte> out(kCount * SizeOf(out_type));
  const AddFunction add = kernels.Add(in_type, out_type);
  for (auto _ : state) {
    add(in.data(), reinterpret_cast<const double*>(encoding.data()), 1.5,
        out.data(), kCount);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(in.size() + out.size()));
}

// A device with a held table of `rows` rows.
struct Held {
  Held(CpuDevice& device, DType dtype, std::uint64_t rows)
      : bytes(std::make_shared<const std::vector<std::byte>>(
            RandomElements(dtype, rows * kWidth))),
        table(*device.Hold({dtype, rows, kWidth, bytes->data(), bytes})) {}

  std::shared_ptr<const std::vector<std::byte>> bytes;
  std::unique_ptr<DeviceTable> table;
};

std::vector<TableRow> SequenceRows(const Held& encoding) {
  std::vector<TableRow> rows;
  for (std::uint64_t i = 0; i < kSequence; ++i) {
    rows.push_back({encoding.table.get(), i});
  }
  return rows;
}

void RunAdd(benchmark::State& state, CpuDevice& device, const AddOp& op,
            DType input_dtype) {
  const std::uint64_t elements = op.rows * op.width;
  const std::size_t bytes = elements * SizeOf(op.output_dtype);
  const auto run = [&] {
    const auto buffer = device.AllocateResponse(bytes);
    if (!buffer.ok() || !device.Add(op, buffer->bytes()).ok()) std::abort();
    benchmark::ClobberMemory();
  };
  // Fills the pool: a service at work has the pages of its buffers.
  run();
  for (auto _ : state) run();
  state.SetBytesProcessed(
      state.iterations() *
      static_cast<std::int64_t>(bytes + elements * SizeOf(input_dtype)));
}

// Pieces of `size` bytes, each at an odd address of its own; 0 for one piece.
struct CutPayload {
  CutPayload(std::vector<std::byte> whole, std::size_t size) {
    if (size == 0) size = whole.size();
    for (std::size_t at = 0; at < whole.size(); at += size) {
      const std::size_t length = std::min(size, whole.size() - at);
      auto& piece = pieces.emplace_back(length + 1);
      std::memcpy(&piece[1], &whole[at], length);
      segments.push_back(Segment(piece).subspan(1));
    }
  }

  std::vector<std::vector<std::byte>> pieces;
  std::vector<Segment> segments;
};

void AddPayload(benchmark::State& state, const Kernels& kernels, DType dtype,
                std::uint64_t rows, std::size_t segment_bytes) {
  CpuDevice device(kernels, kGiB);
  const Held encoding(device, DType::kFloat64, kSequence);
  const std::vector<TableRow> map = SequenceRows(encoding);
  const CutPayload input(RandomElements(dtype, rows * kWidth), segment_bytes);
  const AddOp op{.rows = rows,
                 .width = kWidth,
                 .encoding = {map, 1},
                 .output_dtype = dtype,
                 .input_dtype = dtype,
                 .input = input.segments};
  RunAdd(state, device, op, dtype);
}

void AddGathered(benchmark::State& state, const Kernels& kernels, DType dtype,
                 std::uint64_t rows) {
  CpuDevice device(kernels, kGiB);
  const Held encoding(device, DType::kFloat64, kSequence);
  const std::vector<TableRow> map = SequenceRows(encoding);
  const Held table(device, dtype, kTableRows);
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> ids(rows);
  for (std::uint64_t& id : ids) id = random() % kTableRows;
  const AddOp op{.rows = rows,
                 .width = kWidth,
                 .scale = 27.7,
                 .encoding = {map, 1},
                 .output_dtype = dtype,
                 .gather = table.table.get(),
                 .ids = ids};
  RunAdd(state, device, op, dtype);
}

void RegisterKernels(const Kernels& kernels) {
  const std::string target(kernels.target);
  for (const auto& [in, out] : std::vector<std::pair<DType, DType>>{
           {DType::kFloat32, DType::kFloat32},
           {DType::kFloat16, DType::kFloat16},
           {DType::kBFloat16, DType::kBFloat16},
           {DType::kFloat64, DType::kFloat64},
           {DType::kFloat32, DType::kBFloat16}}) {
    const std::string name = "kernel/" + target + "/" + std::string(Name(in)) +
                             "_" + std::string(Name(out));
    benchmark::RegisterBenchmark(
        name.c_str(), [&kernels, in = in, out = out](benchmark::State& state) {
          AddKernel(state, kernels, in, out);
        });
  }
}

void RegisterDevice(const Kernels& kernels, DType dtype, const char* size,
                    std::uint64_t rows) {
  const std::string prefix = "device/" + std::string(kernels.target) + "/" +
                             std::string(Name(dtype)) + "/" + size + "/";
  for (const std::uint64_t piece : {std::uint64_t{0}, 8 * kKiB, 64 * kKiB}) {
    const std::string name =
        piece == 0 ? "contiguous" : std::to_string(piece / kKiB) + "KiB_pieces";
    benchmark::RegisterBenchmark(
        (prefix + name).c_str(), [&kernels, dtype, rows, piece](auto& state) {
          AddPayload(state, kernels, dtype, rows, piece);
        });
  }
  benchmark::RegisterBenchmark((prefix + "gathered").c_str(),
                               [&kernels, dtype, rows](auto& state) {
                                 AddGathered(state, kernels, dtype, rows);
                               });
}

void RegisterAll() {
  benchmark::RegisterBenchmark("memcpy/cached",
                               [](auto& state) { Memcpy(state, kCachedRows); });
  benchmark::RegisterBenchmark("memcpy/memory",
                               [](auto& state) { Memcpy(state, kMemoryRows); });
  RegisterKernels(ReferenceKernels());
  for (const std::string& target : SupportedTargets()) {
    RegisterKernels(*KernelsFor(target));
  }
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    RegisterDevice(ActiveKernels(), dtype, "cached", kCachedRows);
    RegisterDevice(ActiveKernels(), dtype, "memory", kMemoryRows);
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
