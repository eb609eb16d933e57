#include "server/transport/drain.h"

#include "server/base/error.h"

namespace posenc::server {

absl::Status Drain::Enter() {
  const std::lock_guard lock(mutex_);
  if (draining_) {
    return Error(absl::StatusCode::kUnavailable, "DRAINING",
                 "the server is shutting down");
  }
  ++calls_;
  return absl::OkStatus();
}

void Drain::Leave() {
  const std::lock_guard lock(mutex_);
  if (--calls_ == 0 && draining_) idle_.notify_all();
}

std::uint64_t Drain::Run(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  draining_ = true;
  idle_.wait_for(lock, timeout, [this] { return calls_ == 0; });
  return calls_;
}

}  // namespace posenc::server
