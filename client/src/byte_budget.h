#ifndef POSENC_CLIENT_SRC_BYTE_BUDGET_H_
#define POSENC_CLIENT_SRC_BYTE_BUDGET_H_

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/src/call.h"

namespace posenc {

// Bounds the bytes of requests that are under way at once
// (ClientOptions::max_bytes_in_flight). Those that wait go in the order in
// which they came, so that a large one is not passed for ever by small ones.
// Thread-safe.
class ByteBudget {
  struct GiveBack {
    void operator()(ByteBudget* budget) const { budget->Give(bytes); }
    std::uint64_t bytes;
  };

 public:
  // Bytes taken, until it is destroyed; the budget must live longer.
  using Hold = std::unique_ptr<ByteBudget, GiveBack>;

  explicit ByteBudget(std::uint64_t capacity) : capacity_(capacity) {}

  // Blocks until the bytes fit, or nothing else is held. CANCELLED or
  // DEADLINE_EXCEEDED as the call's own wait would give.
  absl::StatusOr<Hold> Take(std::uint64_t bytes, Call& call);

 private:
  bool Fits(std::uint64_t bytes) const {
    return held_ == 0 || held_ + bytes <= capacity_;
  }
  absl::Status WaitForTurn(std::unique_lock<std::mutex>& lock,
                           std::uint64_t bytes, Call& call);
  void Give(std::uint64_t bytes);

  const std::uint64_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t held_ = 0;
  std::list<const Call*> waiting_;  // the first to come first
};

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_BYTE_BUDGET_H_
