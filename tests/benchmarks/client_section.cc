#include <chrono>
#include <stdexcept>
#include <thread>

#include "posenc/client.h"
#include "tests/benchmarks/callers.h"
#include "tests/benchmarks/peer_server.h"
#include "tests/benchmarks/sections.h"
#include "tests/benchmarks/statistics.h"

namespace posenc::testing {
namespace {

using Clock = std::chrono::steady_clock;

// One client that threads share, each encoding its own tensor into memory of
// its own.
class ProductCallers {
 public:
  ProductCallers(const std::string& address, int in_flight, std::uint64_t batch,
                 std::uint64_t sequence)
      : client_(Connect(address)) {
    const std::size_t elements = batch * sequence * 768;
    for (int i = 0; i < in_flight; ++i) {
      inputs_.push_back(SharedTensor::FromVector(
          std::vector<float>(elements, 1.f), {batch, sequence, 768}));
      outputs_.emplace_back(elements * sizeof(float));
    }
  }

  // Seconds for `calls` of each thread.
  double Call(int calls) {
    const auto begin = Clock::now();
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      threads.emplace_back([&, i] {
        for (int n = 0; n < calls; ++n) {
          const auto result = client_.EncodeInto(outputs_[i], inputs_[i]);
          if (!result.ok()) {
            throw std::runtime_error(std::string(result.status().message()));
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

 private:
  static Client Connect(const std::string& address) {
    auto client = Client::Connect({.address = address});
    if (!client.ok()) {
      throw std::runtime_error(std::string(client.status().message()));
    }
    return *std::move(client);
  }

  Client client_;
  std::vector<SharedTensor> inputs_;
  std::vector<std::vector<std::byte>> outputs_;
};

}  // namespace

void RunClient(const BenchmarkOptions& options, Report& report) {
  struct Size {
    std::uint64_t batch, sequence;
    int calls;
  };
  const ServerProcess server;
  const PeerProcess echo(options.program, {});
  for (const Size& size : {Size{1, 1, 200}, Size{1, 128, 50}, Size{8, 128, 10},
                           Size{32, 512, 2}}) {
    const Load load = LoadOf(
        "", EmbeddingsRequest(size.batch, size.sequence, 768, v1::FLOAT32),
        size.calls);
    for (const int in_flight : {1, 4}) {
      ProductCallers ours(server.address(), in_flight, size.batch,
                          size.sequence);
      Callers theirs(echo.address(), in_flight, 1);
      ours.Call(size.calls);
      theirs.Call(load.message, size.calls, load.answer_bytes);
      std::vector<double> rates, ratios;
      for (int round = 0; round < options.rounds; ++round) {
        const double mine = ours.Call(size.calls);
        const double other =
            theirs.Call(load.message, size.calls, load.answer_bytes).seconds;
        rates.push_back(static_cast<double>(load.payload_bytes) / 1e6 *
                        size.calls * in_flight / mine);
        ratios.push_back(other / mine);
      }
      const Spread rate = SpreadOf(rates), ratio = SpreadOf(ratios);
      report.Add("client",
                 std::to_string(size.batch) + "x" +
                     std::to_string(size.sequence) + "x768 f32 c" +
                     std::to_string(in_flight),
                 {{"MB/s", rate.median},
                  {"rate/one_connection_echo", ratio.median},
                  {"rate/one_connection_echo_q1", ratio.low},
                  {"rate/one_connection_echo_q3", ratio.high}});
    }
  }
}

}  // namespace posenc::testing
