#ifndef POSENC_SERVER_TRANSPORT_DRAIN_H_
#define POSENC_SERVER_TRANSPORT_DRAIN_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "absl/status/status.h"

namespace posenc::server {

// Counts the calls under way, and refuses new ones once the server is to stop.
// Thread-safe.
class Drain {
 public:
  // UNAVAILABLE when draining; otherwise the call counts until Leave.
  absl::Status Enter();
  void Leave();

  // Refuses calls from now on, and waits until none is under way. The number
  // still under way when the time is over.
  std::uint64_t Run(std::chrono::milliseconds timeout);

 private:
  std::mutex mutex_;
  std::condition_variable idle_;
  std::uint64_t calls_ = 0;
  bool draining_ = false;
};

// A call's stay, from construction to destruction.
class DrainGuard {
 public:
  explicit DrainGuard(Drain& drain) : drain_(drain), status_(drain.Enter()) {}
  ~DrainGuard() {
    if (status_.ok()) drain_.Leave();
  }
  DrainGuard(const DrainGuard&) = delete;
  DrainGuard& operator=(const DrainGuard&) = delete;

  // UNAVAILABLE if the call may not go on.
  const absl::Status& status() const { return status_; }

 private:
  Drain& drain_;
  const absl::Status status_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_DRAIN_H_
