#include "server/transport/encode_call.h"

#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/byte_buffer.h>

#include <optional>

#include "server/transport/completion.h"
#include "server/transport/request_codec.h"
#include "server/transport/response_codec.h"

namespace posenc::server {
namespace {

constexpr char kMethod[] = "Encode";

class EncodeCall {
 public:
  EncodeCall(CallContext& calls, PositionalEncodingService& service,
             grpc::ServerCompletionQueue& queue)
      : calls_(calls), service_(service), queue_(queue), responder_(&context_) {
    service_.RequestEncode(&context_, &message_, &responder_, &queue_, &queue_,
                           received_.Tag());
  }

  ~EncodeCall() { calls_.queue_calls().Remove(); }

 private:
  void OnReceived(bool ok) {
    if (!ok) {  // the server has shut down
      delete this;
      return;
    }
    PostEncodeCall(calls_, service_, queue_);
    guard_.emplace(calls_.drain());
    auto response = Answer();
    message_.Clear();  // gives its memory back before the answer is sent
    if (response.ok()) {
      responder_.Finish(EncodeToWire(*std::move(response)), grpc::Status::OK,
                        finished_.Tag());
    } else {
      responder_.FinishWithError(
          calls_.Finish(kMethod, context_, response.status()), finished_.Tag());
    }
  }

  void OnFinished(bool) { delete this; }

  absl::StatusOr<EncodeResponse> Answer() {
    if (!guard_->status().ok()) return guard_->status();
    const absl::Status in_time = CheckDeadline(context_);
    if (!in_time.ok()) return in_time;
    const auto received = DecodeRequest(message_);
    if (!received.ok()) return received.status();
    return calls_.engine().Encode(received->request);
  }

  CallContext& calls_;
  PositionalEncodingService& service_;
  grpc::ServerCompletionQueue& queue_;
  grpc::ServerContext context_;
  grpc::ByteBuffer message_;
  grpc::ServerAsyncResponseWriter<grpc::ByteBuffer> responder_;
  std::optional<DrainGuard> guard_;
  Completion received_{this,
                       Completion::Call<EncodeCall, &EncodeCall::OnReceived>};
  Completion finished_{this,
                       Completion::Call<EncodeCall, &EncodeCall::OnFinished>};
};

}  // namespace

void PostEncodeCall(CallContext& calls, PositionalEncodingService& service,
                    grpc::ServerCompletionQueue& queue) {
  if (calls.queue_calls().Add()) new EncodeCall(calls, service, queue);
}

}  // namespace posenc::server
