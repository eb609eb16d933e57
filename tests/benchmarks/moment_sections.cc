#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <thread>

#include "tests/benchmarks/callers.h"
#include "tests/benchmarks/peer_server.h"
#include "tests/benchmarks/sections.h"
#include "tests/benchmarks/statistics.h"

namespace posenc::testing {
namespace {

Load SmallLoad() {
  return LoadOf("1x1x768 f32", EmbeddingsRequest(1, 1, 768, v1::FLOAT32), 1);
}

std::vector<double> Milliseconds(std::vector<double> seconds) {
  for (double& value : seconds) value *= 1e3;
  return seconds;
}

// Calls of 48 MiB, one after another, by a process of its own: the threads of
// one process would share what gRPC reads from all its connections.
std::unique_ptr<Process> StartBulkCaller(const std::string& program,
                                         const std::string& address) {
  ReadyProgram caller =
      StartProgram({program, "--bulk", address}, STDERR_FILENO);
  if (caller.line.empty()) {
    throw std::runtime_error("the bulk caller did not start");
  }
  return std::move(caller.process);
}

}  // namespace

int RunBulk(const std::string& address) {
  const Load load = LoadOf("", EmbeddingsRequest(32, 512, 768, v1::FLOAT32), 1);
  Callers callers(address, 1, 1);
  callers.Call(load.message, 1, load.answer_bytes);
  std::cout << "begun" << std::endl;
  while (true) callers.Call(load.message, 1, load.answer_bytes);
}

void RunIdle(const BenchmarkOptions& options, Report& report) {
  const ServerProcess server;
  const PeerProcess echo(options.program, {});
  const Load load = SmallLoad();
  Callers ours(server.address(), 1, 1), theirs(echo.address(), 1, 1);
  const auto once = [&](Callers& callers) {
    return callers.Call(load.message, 1, load.answer_bytes).latencies[0];
  };
  std::vector<double> our_first, their_first, our_next, their_next;
  for (int i = 0; i < 16; ++i) {
    for (int warm = 0; warm < 20; ++warm) {
      our_next.push_back(once(ours));
      their_next.push_back(once(theirs));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(900 + 40 * i));
    our_first.push_back(once(ours));
    their_first.push_back(once(theirs));
  }
  const auto figures = [](const std::vector<double>& first,
                          const std::vector<double>& next) {
    const auto ms = Milliseconds(first);
    const double usual = 1e3 * Percentile(next, 0.5);
    return NamedFigures{{"usual_p50_ms", usual},
                        {"first_p50_ms", Percentile(ms, 0.5)},
                        {"first_max_ms", Percentile(ms, 1)},
                        {"penalty_p50_ms", Percentile(ms, 0.5) - usual},
                        {"penalty_max_ms", Percentile(ms, 1) - usual}};
  };
  report.Add("idle", "Encode after 0.9 to 1.5 s", figures(our_first, our_next));
  report.Add("idle", "echo after 0.9 to 1.5 s",
             figures(their_first, their_next));
}

void RunTail(const BenchmarkOptions& options, Report& report) {
  const ServerProcess server;
  const PeerProcess echo(options.program, {.tuned = true});
  const Load small = SmallLoad();
  const auto measure = [&](const std::string& name,
                           const std::string& address) {
    constexpr int kCalls = 2000;
    Callers callers(address, 1, 1);
    callers.Call(small.message, 100, small.answer_bytes);
    const auto alone = Milliseconds(
        callers.Call(small.message, kCalls, small.answer_bytes).latencies);
    const auto bulk = StartBulkCaller(options.program, address);
    const auto beside = Milliseconds(
        callers.Call(small.message, kCalls, small.answer_bytes).latencies);
    report.Add(
        "tail", name,
        {{"p50_alone_ms", Percentile(alone, 0.5)},
         {"p99_alone_ms", Percentile(alone, 0.99)},
         {"p50_beside_ms", Percentile(beside, 0.5)},
         {"p99_beside_ms", Percentile(beside, 0.99)},
         {"p99_ratio", Percentile(beside, 0.99) / Percentile(alone, 0.99)}});
  };
  for (int i = 0; i < 3; ++i) {
    measure("small Encodes beside 48 MiB ones", server.address());
    measure("small echoes beside 48 MiB ones", echo.address());
  }
}

void RunCold(const BenchmarkOptions&, Report& report) {
  const ServerProcess server;
  Callers callers(server.address(), 1, 1);
  double base = 20000;
  for (const std::uint64_t d_model : {512u, 768u, 1024u, 4096u}) {
    std::vector<double> first, next;
    for (int i = 0; i < 15; ++i) {
      // An encoding of its own each time.
      v1::EncodeRequest request =
          EmbeddingsRequest(1, 128, d_model, v1::FLOAT32);
      request.mutable_encoding()->set_base(base++);
      const Load load = LoadOf("", request, 1);
      const auto call = [&] {
        return callers.Call(load.message, 1, load.answer_bytes).latencies[0];
      };
      first.push_back(call());
      for (int k = 0; k < 5; ++k) next.push_back(call());
    }
    report.Add("cold", "1x128x" + std::to_string(d_model) + " f32",
               {{"first_p50_ms", 1e3 * Percentile(first, 0.5)},
                {"first_max_ms", 1e3 * Percentile(first, 1)},
                {"next_p50_ms", 1e3 * Percentile(next, 0.5)}});
  }
}

}  // namespace posenc::testing
