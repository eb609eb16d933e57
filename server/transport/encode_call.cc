#include "server/transport/encode_call.h"

#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/byte_buffer.h>

#include <optional>
#include <utility>

#include "server/transport/completion.h"
#include "server/transport/encode_planner.h"

namespace posenc::server {
namespace {

constexpr char kEncode[] = "Encode";

class EncodeCall {
 public:
  EncodeCall(CallContext& calls, PositionalEncodingService& service,
             EncodeQueue& queue)
      : calls_(calls), service_(service), queue_(queue), responder_(&context_) {
    service_.RequestEncode(&context_, &message_, &responder_,
                           queue_.queue.get(), queue_.queue.get(),
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
    auto job = Plan();
    message_.Clear();  // the job keeps what it needs of it
    if (!job.ok()) {
      Fail(job.status());
      return;
    }
    job_.emplace(*std::move(job));
    if (job_->IsLarge()) {
      calls_.workers().Submit([this] { Run(); });
    } else {
      Run();
    }
  }

  absl::StatusOr<EncodeJob> Plan() {
    if (!guard_->status().ok()) return guard_->status();
    return queue_.planner.Plan(message_);
  }

  void Run() {
    const absl::Status in_time = CheckDeadline(context_);
    if (!in_time.ok()) {
      Fail(in_time);
      return;
    }
    auto response = job_->Run(calls_.engine());
    job_.reset();  // gives its memory back before the response is sent
    if (response.ok()) {
      responder_.Finish(*response, grpc::Status::OK, finished_.Tag());
    } else {
      Fail(response.status());
    }
  }

  void Fail(const absl::Status& status) {
    responder_.FinishWithError(calls_.Finish(kEncode, context_, status),
                               finished_.Tag());
  }

  void OnFinished(bool) { delete this; }

  CallContext& calls_;
  PositionalEncodingService& service_;
  EncodeQueue& queue_;
  grpc::ServerContext context_;
  grpc::ByteBuffer message_;
  grpc::ServerAsyncResponseWriter<grpc::ByteBuffer> responder_;
  std::optional<DrainGuard> guard_;
  std::optional<EncodeJob> job_;
  Completion received_{this,
                       Completion::Call<EncodeCall, &EncodeCall::OnReceived>};
  Completion finished_{this,
                       Completion::Call<EncodeCall, &EncodeCall::OnFinished>};
};

}  // namespace

void PostEncodeCall(CallContext& calls, PositionalEncodingService& service,
                    EncodeQueue& queue) {
  if (calls.queue_calls().Add()) new EncodeCall(calls, service, queue);
}

}  // namespace posenc::server
