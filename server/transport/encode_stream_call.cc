#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>

#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "server/base/limits.h"
#include "server/transport/completion.h"
#include "server/transport/encode_call.h"
#include "server/transport/encode_planner.h"
#include "server/transport/response_codec.h"

namespace posenc::server {
namespace {

constexpr char kEncodeStream[] = "EncodeStream";

// At most one read, one write and their work are under way at once. Answers
// wait in order while a write is under way; no request is read while
// kMaxStreamBacklog of them wait.
class EncodeStreamCall {
 public:
  EncodeStreamCall(CallContext& calls, PositionalEncodingService& service,
                   EncodeQueue& queue)
      : calls_(calls), service_(service), queue_(queue), stream_(&context_) {
    service_.RequestEncodeStream(&context_, &stream_, queue_.queue.get(),
                                 queue_.queue.get(), started_.Tag());
  }

  ~EncodeStreamCall() { calls_.queue_calls().Remove(); }

 private:
  void OnStarted(bool ok) {
    if (!ok) {  // the server has shut down
      delete this;
      return;
    }
    PostEncodeStreamCall(calls_, service_, queue_);
    guard_.emplace(calls_.drain());
    if (!guard_->status().ok()) {
      stream_.Finish(calls_.Finish(kEncodeStream, context_, guard_->status()),
                     finished_.Tag());
      return;
    }
    const std::lock_guard lock(mutex_);
    StartRead();
  }

  void OnRead(bool ok) {
    if (!ok) {
      Answered(std::nullopt);
      return;
    }
    auto job = queue_.planner.Plan(message_);
    message_.Clear();  // the job keeps what it needs of it
    if (!job.ok()) {
      Answered(ErrorToWire(job.status()));
      return;
    }
    job_.emplace(*std::move(job));
    if (job_->IsLarge()) {
      calls_.workers().Submit([this] { Run(); });
    } else {
      Run();
    }
  }

  void Run() {
    auto answer = job_->RunForStream(calls_.engine());
    job_.reset();  // gives its memory back before the answer is sent
    Answered(answer.ok() ? *std::move(answer) : ErrorToWire(answer.status()));
  }

  // Ends a read: with an answer to what was read, or with none where nothing
  // was.
  void Answered(std::optional<grpc::ByteBuffer> answer) {
    bool ended = false;
    {
      const std::lock_guard lock(mutex_);
      reading_ = false;
      if (answer) {
        answers_.push_back(*std::move(answer));
      } else {
        requests_ended_ = true;
      }
      ended = GoOn();
    }
    if (ended) Finish();
  }

  void OnWritten(bool ok) {
    bool ended = false;
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      if (!ok) {  // nobody is there to read
        answers_.clear();
        requests_ended_ = true;
      }
      ended = GoOn();
    }
    if (ended) Finish();
  }

  void OnFinished(bool) { delete this; }

  // The last thing that is done with the call: its completion, perhaps on
  // another thread already, deletes it.
  void Finish() { stream_.Finish(grpc::Status::OK, finished_.Tag()); }

  // Starts what may be started, under the lock, and says whether all is done.
  bool GoOn() {
    if (!writing_ && !answers_.empty()) {
      writing_ = true;
      stream_.Write(answers_.front(), written_.Tag());
      answers_.pop_front();
    }
    if (!reading_ && !requests_ended_ && answers_.size() < kMaxStreamBacklog) {
      StartRead();
    }
    return !reading_ && !writing_ && requests_ended_;
  }

  void StartRead() {
    reading_ = true;
    stream_.Read(&message_, read_.Tag());
  }

  grpc::ByteBuffer ErrorToWire(const absl::Status& status) {
    calls_.LogFailure(kEncodeStream, context_, status);
    return StreamErrorToWire(status);
  }

  CallContext& calls_;
  PositionalEncodingService& service_;
  EncodeQueue& queue_;
  grpc::ServerContext context_;
  grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> stream_;
  std::optional<DrainGuard> guard_;
  grpc::ByteBuffer message_;
  std::optional<EncodeJob> job_;

  std::mutex mutex_;
  std::deque<grpc::ByteBuffer> answers_;
  bool reading_ = false;
  bool writing_ = false;
  bool requests_ended_ = false;

  Completion started_{
      this, Completion::Call<EncodeStreamCall, &EncodeStreamCall::OnStarted>};
  Completion read_{
      this, Completion::Call<EncodeStreamCall, &EncodeStreamCall::OnRead>};
  Completion written_{
      this, Completion::Call<EncodeStreamCall, &EncodeStreamCall::OnWritten>};
  Completion finished_{
      this, Completion::Call<EncodeStreamCall, &EncodeStreamCall::OnFinished>};
};

}  // namespace

void PostEncodeStreamCall(CallContext& calls,
                          PositionalEncodingService& service,
                          EncodeQueue& queue) {
  if (calls.queue_calls().Add()) new EncodeStreamCall(calls, service, queue);
}

}  // namespace posenc::server
