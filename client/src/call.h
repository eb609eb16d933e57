#ifndef POSENC_CLIENT_SRC_CALL_H_
#define POSENC_CLIENT_SRC_CALL_H_

#include <grpc/support/time.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/async_unary_call.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/src/status.h"

namespace posenc {

// `timeout` from now, on the clock that nobody sets.
gpr_timespec DeadlineAfter(std::chrono::milliseconds timeout);

// One RPC: its context, its completion queue, and the wait for its operations.
//
// gRPC's synchronous calls cannot be given up by a thread that is blocked in
// one, and its callback API is slow to wake after an idle second; so the
// threads that wait for an operation poll the call's own queue, and ask between
// polls whether the caller has lost interest.
//
// Each started operation must be waited for before the Call is destroyed.
class Call {
 public:
  Call(std::function<bool()> cancelled, gpr_timespec deadline);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  grpc::ClientContext& context() { return context_; }
  grpc::CompletionQueue& queue() { return queue_; }

  // Asks the caller, and cancels the call if the answer is yes. True from then
  // on.
  bool Cancelled();

  // Until the deadline; zero or less once it has passed.
  std::chrono::milliseconds TimeLeft() const;

  // How long a thread that works for the call may block before it is to look at
  // Cancelled and TimeLeft again.
  std::chrono::milliseconds Patience() const;

  // Blocks until the operation with this tag is done, and returns whether it
  // succeeded. Two threads may wait, each for a tag of its own.
  bool Wait(void* tag);

  // The end of the call: CANCELLED if the caller asked for it, otherwise what
  // gRPC says.
  absl::Status Outcome(const grpc::Status& status);

 private:
  // Takes one event off the queue, without the lock, and files it in done_;
  // gives up after a while if the caller is to be asked again.
  void Poll(std::unique_lock<std::mutex>& lock, bool ask_again);

  // An operation that is done.
  struct Event {
    void* tag = nullptr;
    bool ok = false;
  };

  const std::function<bool()> cancelled_;
  const gpr_timespec deadline_;
  std::atomic<bool> is_cancelled_ = false;
  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool polling_ = false;         // some thread is in Poll
  std::array<Event, 2> done_{};  // those that nobody has asked for yet
};

// Makes a unary call. `prepare` makes the reader, from the Call's context and
// queue.
template <typename Response, typename Prepare>
absl::StatusOr<Response> CallUnary(Call& call, Prepare prepare) {
  if (call.Cancelled()) return call.Outcome(grpc::Status::CANCELLED);
  const auto reader = prepare(&call.context(), &call.queue());
  reader->StartCall();
  Response response;
  grpc::Status status;
  reader->Finish(&response, &status, &call);
  call.Wait(&call);
  if (absl::Status outcome = call.Outcome(status); !outcome.ok()) {
    return outcome;
  }
  return response;
}

// Makes a server-streaming call and hands each message to `take`, whose error
// ends it.
template <typename Response, typename Prepare, typename Take>
absl::Status CallServerStream(Call& call, Prepare prepare, Take take) {
  if (call.Cancelled()) return call.Outcome(grpc::Status::CANCELLED);
  const auto reader = prepare(&call.context(), &call.queue());
  reader->StartCall(&call);
  bool more = call.Wait(&call);
  absl::Status taken;
  Response response;
  while (more && taken.ok()) {
    reader->Read(&response, &call);
    more = call.Wait(&call);
    if (more) taken = take(response);
  }
  if (!taken.ok()) call.context().TryCancel();
  grpc::Status status;
  reader->Finish(&status, &call);
  call.Wait(&call);
  return taken.ok() ? call.Outcome(status) : taken;
}

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_CALL_H_
