#ifndef POSENC_SERVER_TRANSPORT_CALL_CONTEXT_H_
#define POSENC_SERVER_TRANSPORT_CALL_CONTEXT_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/base/worker_pool.h"
#include "server/service/engine.h"
#include "server/transport/drain.h"
#include "server/transport/log.h"
#include "server/transport/queue_calls.h"

namespace posenc::server {

// What every call of the service shares. Thread-safe; outlives the calls.
class CallContext {
 public:
  CallContext(Engine& engine, Drain& drain, WorkerPool& workers);

  Engine& engine() { return engine_; }
  Drain& drain() { return drain_; }
  // For work that a polling thread should not do.
  WorkerPool& workers() { return workers_; }
  QueueCalls& queue_calls() { return queue_calls_; }

  // The status as gRPC sends it, after one line in the log, at most, if it is
  // an error.
  grpc::Status Finish(absl::string_view method,
                      const grpc::ServerContextBase& context,
                      const absl::Status& status);

  // Logs an error, as Finish does.
  void LogFailure(absl::string_view method,
                  const grpc::ServerContextBase& context,
                  const absl::Status& status);

 private:
  Engine& engine_;
  Drain& drain_;
  WorkerPool& workers_;
  QueueCalls queue_calls_;
  LogRate rate_;
};

// DEADLINE_EXCEEDED if nobody waits for the answer any more.
absl::Status CheckDeadline(const grpc::ServerContextBase& context);

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_CALL_CONTEXT_H_
