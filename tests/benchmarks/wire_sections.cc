#include <algorithm>
#include <fstream>
#include <memory>
#include <thread>

#include "tests/benchmarks/peer_server.h"
#include "tests/benchmarks/sections.h"
#include "tests/support/temporary_directory.h"

namespace posenc::testing {
namespace {

constexpr std::uint64_t kWidth = 768;

struct Traffic {
  int in_flight;
  int connections;
};
constexpr Traffic kTraffics[] = {{1, 1}, {4, 1}, {4, 4}};

std::string NameOf(const Load& load, const Traffic& traffic) {
  return load.name + " c" + std::to_string(traffic.in_flight) + " over " +
         std::to_string(traffic.connections);
}

// Encode's figures and its ratios to each peer, named in `peers`.
NamedFigures Compare(const std::vector<Outcome>& outcomes,
                     const std::vector<std::string>& peers) {
  const Figures& ours = outcomes[0].figures;
  NamedFigures figures = {{"MB/s", ours.megabytes_a_second.median},
                          {"calls/s", ours.calls_a_second.median},
                          {"p50_ms", ours.p50_ms},
                          {"p99_ms", ours.p99_ms},
                          {"server_cpu_s/GB", ours.server_cpu_s_a_gb},
                          {"client_cpu_s/GB", ours.client_cpu_s_a_gb}};
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const Outcome& peer = outcomes[i + 1];
    const std::string per = "/" + peers[i];
    figures.insert(
        figures.end(),
        {{peers[i] + "_MB/s", peer.figures.megabytes_a_second.median},
         {"rate" + per, peer.rate_ratio.median},
         {"rate" + per + "_q1", peer.rate_ratio.low},
         {"rate" + per + "_q3", peer.rate_ratio.high},
         {"p50" + per, peer.p50_ratio},
         {"p99" + per, peer.p99_ratio},
         {"server_cpu" + per,
          ours.server_cpu_us_a_call / peer.figures.server_cpu_us_a_call}});
  }
  return figures;
}

}  // namespace

v1::EncodeRequest EmbeddingsRequest(std::uint64_t batch, std::uint64_t sequence,
                                    std::uint64_t d_model, v1::DType dtype) {
  v1::EncodeRequest request;
  auto& tensor = *request.mutable_embeddings();
  tensor.set_dtype(dtype);
  for (const std::uint64_t extent : {batch, sequence, d_model}) {
    tensor.add_shape(extent);
  }
  const std::size_t element = dtype == v1::FLOAT32 ? 4 : 2;
  tensor.set_data(std::string(batch * sequence * d_model * element, '\1'));
  return request;
}

Load LoadOf(const std::string& name, const v1::EncodeRequest& request,
            int calls) {
  const std::size_t bytes = request.embeddings().data().size();
  return {.name = name,
          .message = request.SerializeAsString(),
          .payload_bytes = bytes,
          .answer_bytes = bytes,
          .calls = calls};
}

void RunWire(const BenchmarkOptions& options, Report& report) {
  const Load loads[] = {
      LoadOf("1x1x768 f32", EmbeddingsRequest(1, 1, kWidth, v1::FLOAT32), 300),
      LoadOf("1x128x768 f32", EmbeddingsRequest(1, 128, kWidth, v1::FLOAT32),
             50),
      LoadOf("8x128x768 f32", EmbeddingsRequest(8, 128, kWidth, v1::FLOAT32),
             10),
      LoadOf("8x128x768 f16", EmbeddingsRequest(8, 128, kWidth, v1::FLOAT16),
             20),
      LoadOf("32x512x768 f32", EmbeddingsRequest(32, 512, kWidth, v1::FLOAT32),
             2)};
  const TemporaryDirectory sockets;
  for (const bool unix_sockets : {false, true}) {
    const auto socket = [&](const std::string& name) {
      return unix_sockets ? sockets.File(name) : std::string();
    };
    std::vector<std::string> flags;
    if (unix_sockets) flags = {"--unix-socket", socket("posenc")};
    const ServerProcess server(flags);
    const PeerProcess echo(options.program, {.unix_socket = socket("echo")});
    const PeerProcess tuned(options.program,
                            {.unix_socket = socket("tuned"), .tuned = true});
    const std::string ours =
        unix_sockets ? "unix:" + socket("posenc") : server.address();
    const std::vector<Side> sides = {{ours, server.pid()},
                                     {echo.address(), echo.pid()},
                                     {tuned.address(), tuned.pid()}};
    for (const Load& load : loads) {
      for (const Traffic& traffic : kTraffics) {
        const auto outcomes = Duel(load, sides, traffic.in_flight,
                                   traffic.connections, options.rounds);
        report.Add(unix_sockets ? "unix" : "tcp", NameOf(load, traffic),
                   Compare(outcomes, {"echo", "tuned_echo"}));
      }
    }
  }
}

void RunTokens(const BenchmarkOptions& options, Report& report) {
  constexpr std::uint64_t kRows = 30522;  // a common vocabulary
  constexpr std::uint64_t kBatch = 16, kSequence = 512;
  const TemporaryDirectory tables;
  {
    // A .npy file of ones.
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                         std::to_string(kRows) + ", " + std::to_string(kWidth) +
                         "), }";
    header.resize(117, ' ');
    header += '\n';
    std::ofstream file(tables.File("words.npy"), std::ios::binary);
    file << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(header.size())
         << '\0' << header;
    const std::vector<float> row(kWidth, 1.f);
    for (std::uint64_t i = 0; i < kRows; ++i) {
      file.write(reinterpret_cast<const char*>(row.data()),
                 kWidth * sizeof(float));
    }
  }
  v1::EncodeRequest request;
  auto& tensor = *request.mutable_token_ids();
  tensor.set_dtype(v1::INT32);
  tensor.add_shape(kBatch);
  tensor.add_shape(kSequence);
  std::vector<std::int32_t> ids;
  for (std::uint64_t i = 0; i < kBatch * kSequence; ++i) {
    ids.push_back(static_cast<std::int32_t>(i * 7919 % kRows));
  }
  tensor.set_data(ids.data(), ids.size() * sizeof(std::int32_t));
  const std::size_t bytes = kBatch * kSequence * kWidth * sizeof(float);
  const Load load{.name = "16x512 ids to f32",
                  .message = request.SerializeAsString(),
                  .payload_bytes = bytes,
                  .answer_bytes = bytes,
                  .calls = 3};
  const ServerProcess server({"--tables", tables.path()});
  const PeerProcess peer(options.program,
                         {.answer_bytes = bytes, .tuned = true});
  for (const Traffic& traffic : kTraffics) {
    const auto outcomes = Duel(
        load, {{server.address(), server.pid()}, {peer.address(), peer.pid()}},
        traffic.in_flight, traffic.connections, options.rounds);
    report.Add("tokens", NameOf(load, traffic),
               Compare(outcomes, {"pooled_buffer"}));
  }
}

}  // namespace posenc::testing
