#ifndef POSENC_SERVER_TRANSPORT_GRPC_SERVER_H_
#define POSENC_SERVER_TRANSPORT_GRPC_SERVER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/service/engine.h"

namespace posenc::server {

struct GrpcServerOptions {
  std::string host;
  int port = 0;                         // 0: any free one
  int threads = 1;                      // that serve Encode and EncodeStream
  std::uint64_t max_message_bytes = 0;  // of one message, either way
  std::uint64_t receive_bytes = 0;      // of all received messages together
};

// The service on a port, with health checks and reflection. Serves from Start
// on; its destructor stops it at once.
class GrpcServer {
 public:
  // UNAVAILABLE, with the reason, if the address can't be listened on. `engine`
  // must outlive the server.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      const GrpcServerOptions& options, Engine& engine);

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
