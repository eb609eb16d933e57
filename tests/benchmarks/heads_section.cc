#include <cstring>
#include <string>
#include <vector>

#include "tests/benchmarks/callers.h"
#include "tests/benchmarks/sections.h"
#include "tests/support/server_process.h"

namespace posenc::testing {
namespace {

constexpr std::uint64_t kHeads = 12, kHeadSize = 64;

// What posenc does to the heads, and the same tensor for all.
struct Work {
  const char* name;
  const char* profile;
};
constexpr Work kWorks[] = {
    {"add", "torchlingo"}, {"halves", "llama"}, {"adjacent", "gpt-j"}};

// Numbers of about 1 either way. Such as are next to nothing would make turned
// ones subnormal, which costs CPUs more than all the rest.
std::string Numbers(std::size_t count, v1::DType dtype) {
  std::string data;
  for (std::size_t n = 0; n < count; ++n) {
    const float value = static_cast<float>(n * n % 251) / 64 - 2;
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    // A bfloat16 is the upper half of it.
    const std::size_t skip = dtype == v1::FLOAT32 ? 0 : 2;
    data.append(bytes + skip, sizeof(value) - skip);
  }
  return data;
}

v1::EncodeRequest HeadsRequest(std::uint64_t batch, std::uint64_t sequence,
                               v1::DType dtype, const std::string& profile) {
  v1::EncodeRequest request =
      EmbeddingsRequest(batch * kHeads, sequence, kHeadSize, dtype);
  request.set_batch_layout(v1::HEADS_SEQUENCE);
  request.mutable_encoding()->set_profile(profile);
  request.mutable_embeddings()->set_data(
      Numbers(batch * kHeads * sequence * kHeadSize, dtype));
  auto& shape = *request.mutable_embeddings()->mutable_shape();
  shape.Clear();
  for (const std::uint64_t extent : {batch, kHeads, sequence, kHeadSize}) {
    shape.Add(extent);
  }
  return request;
}

}  // namespace

void RunHeads(const BenchmarkOptions& options, Report& report) {
  struct Size {
    std::uint64_t batch, sequence;
    int calls;
  };
  const ServerProcess server;
  for (const v1::DType dtype : {v1::FLOAT32, v1::BFLOAT16}) {
    for (const Size& size :
         {Size{1, 128, 50}, Size{8, 128, 10}, Size{32, 512, 2}}) {
      Callers callers(server.address(), 4, 4);
      std::vector<Load> loads;
      for (const Work& work : kWorks) {
        loads.push_back(
            LoadOf(work.name,
                   HeadsRequest(size.batch, size.sequence, dtype, work.profile),
                   size.calls));
        callers.Call(loads.back().message, size.calls,
                     loads.back().answer_bytes);
      }
      std::vector<std::vector<double>> seconds(loads.size());
      for (int round = 0; round < options.rounds; ++round) {
        for (std::size_t i = 0; i < loads.size(); ++i) {
          seconds[i].push_back(
              callers.Call(loads[i].message, size.calls, loads[i].answer_bytes)
                  .seconds);
        }
      }
      for (std::size_t i = 1; i < loads.size(); ++i) {
        std::vector<double> ratios;
        for (std::size_t round = 0; round < seconds[i].size(); ++round) {
          ratios.push_back(seconds[i][round] / seconds[0][round]);
        }
        const Spread ratio = SpreadOf(ratios);
        report.Add("heads",
                   std::to_string(size.batch) + "x12x" +
                       std::to_string(size.sequence) + "x64 " +
                       (dtype == v1::FLOAT32 ? "f32 " : "bf16 ") +
                       loads[i].name,
                   {{"time/add", ratio.median},
                    {"time/add_q1", ratio.low},
                    {"time/add_q3", ratio.high}});
      }
    }
  }
}

}  // namespace posenc::testing
