#include "client/src/byte_budget.h"

#include "absl/strings/str_cat.h"

namespace posenc {

absl::StatusOr<ByteBudget::Hold> ByteBudget::Take(std::uint64_t bytes,
                                                  Call& call) {
  std::unique_lock lock(mutex_);
  if (!waiting_.empty() || !Fits(bytes)) {
    if (absl::Status status = WaitForTurn(lock, bytes, call); !status.ok()) {
      return status;
    }
  }
  held_ += bytes;
  return Hold(this, GiveBack{bytes});
}

absl::Status ByteBudget::WaitForTurn(std::unique_lock<std::mutex>& lock,
                                     std::uint64_t bytes, Call& call) {
  const auto place = waiting_.insert(waiting_.end(), &call);
  absl::Status status;
  while (status.ok() && (waiting_.begin() != place || !Fits(bytes))) {
    changed_.wait_for(lock, call.Patience());
    lock.unlock();
    if (call.Cancelled()) {
      status = call.Outcome(grpc::Status::CANCELLED);
    } else if (call.TimeLeft().count() <= 0) {
      status = absl::DeadlineExceededError(
          absl::StrCat("the request's ", bytes,
                       " bytes waited in vain for others to go: at "
                       "most ",
                       capacity_,
                       " may be under way; raise "
                       "ClientOptions::max_bytes_in_flight"));
    }
    lock.lock();
  }
  waiting_.erase(place);
  // The next one may fit beside this one, or after it has given up.
  changed_.notify_all();
  return status;
}

void ByteBudget::Give(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  held_ -= bytes;
  if (!waiting_.empty()) changed_.notify_all();
}

}  // namespace posenc
