#ifndef POSENC_SERVER_TRANSPORT_HEALTH_SERVICE_H_
#define POSENC_SERVER_TRANSPORT_HEALTH_SERVICE_H_

#include <grpcpp/completion_queue.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/byte_buffer.h>

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/transport/queue_calls.h"

namespace posenc::server {

// grpc.health.v1.Health
// (github.com/grpc/grpc/blob/master/doc/health-checking.md) on the server's own
// completion queues: gRPC 1.51's own service would bring its callback threads,
// which then take turns at polling every connection.
//
// The server as a whole ("") and each of `services` share one status. Check of
// another name is NOT_FOUND, Watch of it SERVICE_UNKNOWN. Thread-safe; outlives
// its calls.
class HealthService : public grpc::Service {
 public:
  HealthService(std::vector<std::string> services, QueueCalls& queue_calls);

  // Waits for one call on the queue, and for the next as soon as it has come.
  void PostCheck(grpc::ServerCompletionQueue& queue);
  void PostWatch(grpc::ServerCompletionQueue& queue);

  // Tells whoever watches. NOT_SERVING before the first call.
  void SetServing(bool serving);

 private:
  enum class Status { kServing = 1, kNotServing = 2, kServiceUnknown = 3 };
  class CheckCall;
  class WatchCall;

  // None for a message that is no HealthCheckRequest.
  static std::optional<std::string> ServiceOf(grpc::ByteBuffer& message);
  static grpc::ByteBuffer ToWire(Status status);
  // Needs the lock.
  Status StatusOf(absl::string_view service) const;

  const std::vector<std::string> services_;
  QueueCalls& queue_calls_;
  std::mutex mutex_;
  bool serving_ = false;
  std::set<WatchCall*> watchers_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_HEALTH_SERVICE_H_
