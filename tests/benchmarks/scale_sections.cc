#include <fstream>
#include <sstream>

#include "tests/benchmarks/callers.h"
#include "tests/benchmarks/peer_server.h"
#include "tests/benchmarks/sections.h"
#include "tests/benchmarks/statistics.h"

namespace posenc::testing {
namespace {

// A line of /proc/PID/status in MiB: "VmHWM", the peak, or "VmRSS".
double MebibytesOf(pid_t pid, const std::string& what) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string key;
    double kibibytes = 0;
    if (words >> key >> kibibytes && key == what + ":") return kibibytes / 1024;
  }
  return 0;
}

// The median call, after one that builds what it needs.
double MedianSeconds(Callers& callers, const Load& load, int calls) {
  callers.Call(load.message, 1, load.answer_bytes);
  return Percentile(
      callers.Call(load.message, calls, load.answer_bytes).latencies, 0.5);
}

void AddShapes(const std::string& what, Callers& callers, Report& report,
               const std::vector<std::uint64_t>& extents,
               v1::EncodeRequest (*request_of)(std::uint64_t)) {
  for (const std::uint64_t extent : extents) {
    const Load load = LoadOf("", request_of(extent), 1);
    const double seconds = MedianSeconds(callers, load, 15);
    report.Add("growth", what + " " + std::to_string(extent),
               {{"p50_ms", 1e3 * seconds},
                {"ns/element",
                 1e9 * seconds / static_cast<double>(load.payload_bytes / 4)}});
  }
}

void AddCachedEncodings(const std::string& address, Report& report) {
  Callers callers(address, 1, 1);
  std::vector<std::string> messages;
  std::size_t answer_bytes = 0;
  for (const std::size_t count : {1u, 16u, 256u, 1024u}) {
    while (messages.size() < count) {
      v1::EncodeRequest request = EmbeddingsRequest(1, 4, 64, v1::FLOAT32);
      request.mutable_encoding()->set_base(
          100.0 + static_cast<double>(messages.size()));
      const Load load = LoadOf("", request, 1);
      answer_bytes = load.answer_bytes;
      messages.push_back(load.message);
      callers.Call(messages.back(), 1, answer_bytes);
    }
    std::vector<double> latencies;
    for (int i = 0; i < 3000; ++i) {
      const auto at = static_cast<std::size_t>(i) * 7919 % count;
      latencies.push_back(
          callers.Call(messages[at], 1, answer_bytes).latencies[0]);
    }
    report.Add("growth", "cached encodings " + std::to_string(count),
               {{"p50_ms", 1e3 * Percentile(latencies, 0.5)},
                {"p99_ms", 1e3 * Percentile(latencies, 0.99)}});
  }
}

void AddConnections(const std::string& address, Report& report) {
  const Load load = LoadOf("", EmbeddingsRequest(1, 1, 768, v1::FLOAT32), 1);
  for (const int connections : {1, 8, 64, 256}) {
    // Each is used; one caller asks at a time.
    Callers all(address, connections, connections);
    all.Call(load.message, 1, load.answer_bytes);
    Callers one(address, 1, 1);
    report.Add("growth", "open connections " + std::to_string(connections),
               {{"p50_ms", 1e3 * MedianSeconds(one, load, 2000)}});
  }
}

}  // namespace

void RunMemory(const BenchmarkOptions& options, Report& report) {
  const Load load = LoadOf("", EmbeddingsRequest(32, 512, 768, v1::FLOAT32), 5);
  const auto measure = [&](const std::string& name, const std::string& address,
                           pid_t pid) {
    const double before = MebibytesOf(pid, "VmRSS");
    Callers callers(address, 4, 4);
    callers.Call(load.message, load.calls, load.answer_bytes);
    report.Add("memory", name,
               {{"at_start_MiB", before},
                {"peak_MiB", MebibytesOf(pid, "VmHWM")},
                {"payloads_in_flight_MiB",
                 4 * static_cast<double>(load.payload_bytes) / (1 << 20)}});
  };
  const ServerProcess server;
  const PeerProcess echo(options.program, {});
  const PeerProcess tuned(options.program, {.tuned = true});
  measure("Encode 32x512x768 f32 c4", server.address(), server.pid());
  measure("echo", echo.address(), echo.pid());
  measure("tuned echo", tuned.address(), tuned.pid());
}

void RunGrowth(const BenchmarkOptions&, Report& report) {
  const ServerProcess server;
  {
    Callers callers(server.address(), 1, 1);
    AddShapes("batch", callers, report, {1, 4, 16, 64},
              [](std::uint64_t batch) {
                return EmbeddingsRequest(batch, 128, 768, v1::FLOAT32);
              });
    AddShapes("sequence", callers, report, {128, 512, 2048, 8192},
              [](std::uint64_t sequence) {
                return EmbeddingsRequest(1, sequence, 768, v1::FLOAT32);
              });
    AddShapes("d_model", callers, report, {64, 512, 4096, 32768},
              [](std::uint64_t d_model) {
                return EmbeddingsRequest(1, 128, d_model, v1::FLOAT32);
              });
  }
  AddCachedEncodings(server.address(), report);
  AddConnections(server.address(), report);
}

}  // namespace posenc::testing
