#ifndef POSENC_SERVER_TRANSPORT_ENCODE_CALL_H_
#define POSENC_SERVER_TRANSPORT_ENCODE_CALL_H_

#include <grpcpp/completion_queue.h>

#include <memory>

#include "server/transport/call_context.h"
#include "server/transport/encode_planner.h"
#include "server/transport/positional_encoding_service.h"

namespace posenc::server {

// A completion queue and what belongs to the one thread that polls it.
struct EncodeQueue {
  std::unique_ptr<grpc::ServerCompletionQueue> queue;
  EncodePlanner planner;
};

// Waits for one Encode on the queue, answers it, and posts the next wait as
// soon as a call has come; deletes itself when it is done. Does nothing once
// calls.queue_calls() is closed. The polling thread plans the call and runs it
// too, unless it is large: then a worker does.
void PostEncodeCall(CallContext& calls, PositionalEncodingService& service,
                    EncodeQueue& queue);

// The same for EncodeStream.
void PostEncodeStreamCall(CallContext& calls,
                          PositionalEncodingService& service,
                          EncodeQueue& queue);

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_ENCODE_CALL_H_
