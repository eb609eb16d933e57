#include "client/src/call.h"

#include <algorithm>

namespace posenc {
namespace {

// Half of what CallOptions::cancelled promises, so that a late wake-up still
// keeps the promise.
constexpr std::chrono::milliseconds kAskEvery(50);

}  // namespace

gpr_timespec DeadlineAfter(std::chrono::milliseconds timeout) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_millis(timeout.count(), GPR_TIMESPAN));
}

Call::Call(std::function<bool()> cancelled, gpr_timespec deadline)
    : cancelled_(std::move(cancelled)), deadline_(deadline) {
  context_.set_deadline(deadline);
}

Call::~Call() {
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

bool Call::Cancelled() {
  if (is_cancelled_) return true;
  if (!cancelled_ || !cancelled_()) return false;
  is_cancelled_ = true;
  context_.TryCancel();
  return true;
}

std::chrono::milliseconds Call::TimeLeft() const {
  return std::chrono::milliseconds(gpr_time_to_millis(
      gpr_time_sub(deadline_, gpr_now(GPR_CLOCK_MONOTONIC))));
}

std::chrono::milliseconds Call::Patience() const {
  return cancelled_ ? std::min(TimeLeft(), kAskEvery) : TimeLeft();
}

bool Call::Wait(void* tag) {
  std::unique_lock lock(mutex_, std::defer_lock);
  while (true) {
    const bool ask_again = !Cancelled() && cancelled_;
    lock.lock();
    const auto found = std::ranges::find(done_, tag, &Event::tag);
    if (found != done_.end()) return std::exchange(*found, {}).ok;
    if (!polling_) {
      polling_ = true;
      Poll(lock, ask_again);
      polling_ = false;
      changed_.notify_all();
    } else if (ask_again) {
      changed_.wait_for(lock, kAskEvery);
    } else {
      changed_.wait(lock);
    }
    lock.unlock();
  }
}

void Call::Poll(std::unique_lock<std::mutex>& lock, bool ask_again) {
  lock.unlock();
  void* tag = nullptr;
  bool ok = false;
  const gpr_timespec until = ask_again ? DeadlineAfter(kAskEvery)
                                       : gpr_inf_future(GPR_CLOCK_MONOTONIC);
  const auto next = queue_.AsyncNext(&tag, &ok, until);
  lock.lock();
  if (next == grpc::CompletionQueue::GOT_EVENT) {
    *std::ranges::find(done_, nullptr, &Event::tag) = {tag, ok};
  }
}

absl::Status Call::Outcome(const grpc::Status& status) {
  if (is_cancelled_)
    return absl::CancelledError("the caller cancelled the call");
  return FromGrpc(status);
}

}  // namespace posenc
