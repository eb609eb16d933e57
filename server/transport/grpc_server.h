#ifndef POSENC_SERVER_TRANSPORT_GRPC_SERVER_H_
#define POSENC_SERVER_TRANSPORT_GRPC_SERVER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/base/worker_pool.h"
#include "server/service/engine.h"

namespace posenc::server {

struct GrpcServerOptions {
  std::string host;
  int port = 0;                         // 0: any free one
  std::string unix_socket;              // empty: none
  int threads = 1;                      // that poll, each a queue of its own
  std::uint64_t max_message_bytes = 0;  // of one message, either way
  std::uint64_t receive_bytes = 0;      // of all received messages together
};

// The service on a port, with health checks and reflection. Serves from Start
// on; its destructor stops it at once.
class GrpcServer {
 public:
  // UNAVAILABLE, with the reason, if the address can't be listened on. Large
  // requests run on the workers. `engine` and `workers` must outlive the
  // server.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      const GrpcServerOptions& options, Engine& engine, WorkerPool& workers);

  virtual ~GrpcServer() = default;

  // The port that is listened on.
  virtual int port() const = 0;

  // Health turns NOT_SERVING, new calls get UNAVAILABLE, and those under way
  // may finish. Then the server stops. The number of calls that were cut off
  // when `timeout` was over.
  virtual std::uint64_t Stop(std::chrono::milliseconds timeout) = 0;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_GRPC_SERVER_H_
