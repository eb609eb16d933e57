#ifndef POSENC_SERVER_TRANSPORT_ENCODE_CALL_H_
#define POSENC_SERVER_TRANSPORT_ENCODE_CALL_H_

#include <grpcpp/completion_queue.h>

#include "server/transport/call_context.h"
#include "server/transport/positional_encoding_service.h"

namespace posenc::server {

// Waits for one Encode on the queue, answers it, and posts the next wait as
// soon as a call has come; deletes itself when it is done. Does nothing once
// calls.queue_calls() is closed. The work is done by
// the thread that polled it.
void PostEncodeCall(CallContext& calls, PositionalEncodingService& service,
                    grpc::ServerCompletionQueue& queue);

// The same for EncodeStream.
void PostEncodeStreamCall(CallContext& calls,
                          PositionalEncodingService& service,
                          grpc::ServerCompletionQueue& queue);

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_ENCODE_CALL_H_
