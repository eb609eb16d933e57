#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/base/worker_pool.h"
#include "server/command_line.h"
#include "server/config.h"
#include "server/core/embedding_store.h"
#include "server/core/table_cache.h"
#include "server/devices/device.h"
#include "server/kernels/kernels.h"
#include "server/service/engine.h"
#include "server/transport/grpc_server.h"
#include "server/transport/log.h"
#include "server/transport/process_tuning.h"

namespace posenc::server {
namespace {

// SIGTERM and SIGINT, taken by one thread that waits for them; every other
// thread inherits the block.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }

  int Wait() const {
    int signal = 0;
    while (sigwait(&signals_, &signal) != 0) {
    }
    return signal;
  }

 private:
  sigset_t signals_;
};

int Cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// One for two cores: the threads of a machine's clients, and the workers, need
// the others.
int PollingThreads(const Config& config) {
  return config.threads > 0 ? config.threads : std::max(1, Cores() / 2);
}

// Writes the port whole or not at all, so that whoever waits for the file never
// reads half a number.
absl::Status WritePort(const std::string& path, int port) {
  const std::string staged = path + ".new";
  std::ofstream file(staged);
  file << port << "\n";
  file.close();
  if (!file || std::rename(staged.c_str(), path.c_str()) != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot write --port-file ", path));
  }
  return absl::OkStatus();
}

absl::Status Serve(const Config& config) {
  const StopSignals stop;
  TuneProcess();
  if (!config.simd.empty()) {
    const absl::Status forced = ForceTarget(config.simd);
    if (!forced.ok()) return forced;
  }
  WorkerPool workers(Cores());
  const auto device =
      MakeDevice(config.device, config.max_response_bytes, workers);
  if (!device.ok()) return device.status();
  const auto tables = config.tables.empty()
                          ? std::make_unique<EmbeddingStore>()
                          : EmbeddingStore::Open(config.tables, **device);
  if (!tables.ok()) return tables.status();
  TableCache cache(**device, config.cache_bytes, workers);
  const auto engine =
      MakeEngine(**device, **tables, cache,
                 {.max_message_bytes = config.max_message_bytes});
  const auto server =
      GrpcServer::Start({.host = config.host,
                         .port = config.port,
                         .unix_socket = config.unix_socket,
                         .threads = PollingThreads(config),
                         .max_message_bytes = config.max_message_bytes,
                         .receive_bytes = config.max_receive_bytes},
                        *engine, workers);
  if (!server.ok()) return server.status();
  if (!config.port_file.empty()) {
    const absl::Status written = WritePort(config.port_file, (*server)->port());
    if (!written.ok()) return written;
  }
  std::cout << "posenc-server " POSENC_VERSION " listening on " << config.host
            << ":" << (*server)->port() << " (" << (*device)->description()
            << ", " << (*tables)->List().size() << " embedding tables)"
            << std::endl;
  const int signal = stop.Wait();
  Log(LogLevel::kInfo, "stopping", {{"signal", strsignal(signal)}});
  const std::uint64_t cut_off = (*server)->Stop(config.drain_timeout);
  Log(cut_off == 0 ? LogLevel::kInfo : LogLevel::kWarning, "stopped",
      {{"calls_cut_off", absl::StrCat(cut_off)}});
  return absl::OkStatus();
}

}  // namespace
}  // namespace posenc::server

int main(int argc, char** argv) {
  using posenc::server::ReadCommandLine;
  const auto command = ReadCommandLine(argc, argv, std::cout, std::cerr);
  if (command.exit_code) return *command.exit_code;
  posenc::server::StartLog(command.config.log_level, command.config.log_format);
  const absl::Status status = posenc::server::Serve(command.config);
  if (status.ok()) return 0;
  std::cerr << "posenc-server: " << std::string(status.message()) << "\n";
  return status.code() == absl::StatusCode::kInvalidArgument ? 2 : 1;
}
