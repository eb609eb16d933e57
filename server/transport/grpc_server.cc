#include "server/transport/grpc_server.h"

#include <arpa/inet.h>
#include <grpc/grpc.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/transport/call_context.h"
#include "server/transport/completion.h"
#include "server/transport/drain.h"
#include "server/transport/embedding_tables_service.h"
#include "server/transport/encode_call.h"
#include "server/transport/encoding_cache_service.h"
#include "server/transport/health_service.h"
#include "server/transport/positional_encoding_service.h"

namespace posenc::server {
namespace {

// Waits posted per thread, so that a burst of calls finds one.
constexpr int kPostedCalls = 16;
// Threads of the synchronous methods; a stream of rows takes one while it
// lasts.
constexpr int kMaxSyncThreads = 32;
// Time for calls that do not count as work, such as Health.Watch, to end.
constexpr auto kLastCalls = std::chrono::milliseconds(100);

std::string AddressOf(const GrpcServerOptions& options) {
  const bool bare_ipv6 = options.host.find(':') != std::string::npos &&
                         options.host.front() != '[';
  return bare_ipv6 ? absl::StrCat("[", options.host, "]:", options.port)
                   : absl::StrCat(options.host, ":", options.port);
}

// Why the address can't be bound, as the system says it: gRPC does not.
std::string WhyNotBound(const GrpcServerOptions& options) {
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = absl::StrCat(options.port);
  const int resolved =
      getaddrinfo(options.host.c_str(), port.c_str(), &hints, &found);
  if (resolved != 0) return gai_strerror(resolved);
  std::string reason = "unknown reason";
  const int socket_fd =
      socket(found->ai_family, found->ai_socktype, found->ai_protocol);
  if (socket_fd < 0 ||
      bind(socket_fd, found->ai_addr, found->ai_addrlen) != 0 ||
      listen(socket_fd, 1) != 0) {
    reason = std::strerror(errno);
  }
  if (socket_fd >= 0) close(socket_fd);
  freeaddrinfo(found);
  return reason;
}

absl::Status CannotListen(const std::string& address,
                          const std::string& reason) {
  return Error(absl::StatusCode::kUnavailable, "ADDRESS",
               absl::StrCat("cannot listen on ", address, ": ", reason));
}

// gRPC takes over a socket file that is there, even from a server that listens
// on it.
absl::Status CheckUnixSocketFree(const std::string& path) {
  sockaddr_un address{};
  if (path.size() >= sizeof(address.sun_path)) {
    return CannotListen(path, absl::StrCat("the path has ", path.size(),
                                           " bytes, but may have ",
                                           sizeof(address.sun_path) - 1));
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int socket_fd = socket(AF_UNIX, SOCK_STREAM, 0);
  const bool taken =
      connect(socket_fd, reinterpret_cast<const sockaddr*>(&address),
              sizeof(address)) == 0;
  close(socket_fd);
  return taken ? CannotListen(path, std::strerror(EADDRINUSE))
               : absl::OkStatus();
}

class RunningServer final : public GrpcServer {
 public:
  RunningServer(Engine& engine, WorkerPool& workers)
      : calls_(engine, drain_, workers),
        engine_(engine),
        encoding_(calls_),
        tables_(calls_),
        cache_(calls_),
        health_({v1::PositionalEncoding::service_full_name(),
                 v1::EmbeddingTables::service_full_name(),
                 v1::EncodingCache::service_full_name()},
                calls_.queue_calls()) {}

  ~RunningServer() override { Stop(std::chrono::milliseconds(0)); }

  absl::Status Start(const GrpcServerOptions& options) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(AddressOf(options),
                             grpc::InsecureServerCredentials(), &port_);
    int unix_bound = options.unix_socket.empty() ? 1 : 0;
    if (!options.unix_socket.empty()) {
      const absl::Status free = CheckUnixSocketFree(options.unix_socket);
      if (!free.ok()) return free;
      builder.AddListeningPort("unix:" + options.unix_socket,
                               grpc::InsecureServerCredentials(), &unix_bound);
    }
    Configure(options, builder);
    // A queue for each thread: threads that share one wake each other.
    for (int i = 0; i < options.threads; ++i) {
      queues_.push_back({builder.AddCompletionQueue(), EncodePlanner(engine_)});
    }
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port_ == 0) {
      ShutDownQueues();
      return port_ == 0 || unix_bound != 0
                 ? CannotListen(AddressOf(options), WhyNotBound(options))
                 : CannotListen(options.unix_socket, std::strerror(errno));
    }
    health_.SetServing(true);
    for (EncodeQueue& queue : queues_) {
      for (int i = 0; i < kPostedCalls; ++i) {
        PostEncodeCall(calls_, encoding_, queue);
        PostEncodeStreamCall(calls_, encoding_, queue);
      }
      health_.PostCheck(*queue.queue);
      health_.PostWatch(*queue.queue);
      threads_.emplace_back([&queue] { Poll(*queue.queue); });
    }
    return absl::OkStatus();
  }

  int port() const override { return port_; }

  std::uint64_t Stop(std::chrono::milliseconds timeout) override {
    if (server_ == nullptr) return 0;
    health_.SetServing(false);
    const std::uint64_t cut_off = drain_.Run(timeout);
    calls_.queue_calls().Close();
    server_->Shutdown(std::chrono::system_clock::now() + kLastCalls);
    calls_.queue_calls().AwaitNone();
    ShutDownQueues();
    for (std::thread& thread : threads_) thread.join();
    server_ = nullptr;
    return cut_off;
  }

 private:
  void Configure(const GrpcServerOptions& options,
                 grpc::ServerBuilder& builder) {
    const auto message_bytes = static_cast<int>(options.max_message_bytes);
    builder.SetMaxReceiveMessageSize(message_bytes);
    builder.SetMaxSendMessageSize(message_bytes);
    // Else a second server could take the same port, and half the calls.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    grpc::ResourceQuota quota("posenc");
    quota.Resize(options.receive_bytes);
    quota.SetMaxThreads(kMaxSyncThreads);
    builder.SetResourceQuota(quota);
    builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
    builder.RegisterService(&encoding_);
    builder.RegisterService(&tables_);
    builder.RegisterService(&cache_);
    builder.RegisterService(&health_);
  }

  void ShutDownQueues() {
    for (const EncodeQueue& queue : queues_) queue.queue->Shutdown();
  }

  static void Poll(grpc::ServerCompletionQueue& queue) {
    void* tag = nullptr;
    bool ok = false;
    while (queue.Next(&tag, &ok)) static_cast<Completion*>(tag)->Done(ok);
  }

  Drain drain_;
  CallContext calls_;
  Engine& engine_;
  PositionalEncodingService encoding_;
  EmbeddingTablesService tables_;
  EncodingCacheService cache_;
  HealthService health_;
  int port_ = 0;
  std::vector<EncodeQueue> queues_;
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::thread> threads_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    const GrpcServerOptions& options, Engine& engine, WorkerPool& workers) {
  // gRPC 1.51 that shuts itself down with its last server may first wait 10 s
  // for a poller; one reference more, for good, spares the exit that.
  grpc_init();
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  auto server = std::make_unique<RunningServer>(engine, workers);
  const absl::Status status = server->Start(options);
  if (!status.ok()) return status;
  return server;
}

}  // namespace posenc::server
