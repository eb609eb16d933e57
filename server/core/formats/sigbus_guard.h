#ifndef POSENC_SERVER_CORE_FORMATS_SIGBUS_GUARD_H_
#define POSENC_SERVER_CORE_FORMATS_SIGBUS_GUARD_H_

#include <cstddef>

#include "absl/status/statusor.h"

namespace posenc::server {

// Keeps the process alive when a mapped file is cut short, or its disk fails,
// and somebody reads what is no longer there. The kernel then sends SIGBUS; a
// handler, installed with the first guard, puts zeros in place of the rest of
// the mapping and marks it damaged. Any other SIGBUS goes to the handler that
// was there before. Whoever installs one later must pass signals on to ours,
// and no thread may block SIGBUS.
//
// Only reads by the program are covered: a system call that is given such
// memory fails with EFAULT.
//
// Move-only; one guard must not be used by two threads at once, except that
// damaged() may be called at any time.
class SigbusGuard {
 public:
  // Guards a mapping, whose start is at a page's. RESOURCE_EXHAUSTED if
  // kMaxTableFiles mappings are guarded already.
  static absl::StatusOr<SigbusGuard> Create(const std::byte* begin,
                                            std::size_t bytes);

  SigbusGuard(SigbusGuard&& other) noexcept;
  SigbusGuard& operator=(SigbusGuard&& other) noexcept;
  // To be destroyed before the mapping is.
  ~SigbusGuard();

  // Whether zeros stand in place of some of the mapping.
  bool damaged() const;

 private:
  explicit SigbusGuard(std::size_t slot) : slot_(slot) {}

  static constexpr std::size_t kNoSlot = ~std::size_t{0};
  std::size_t slot_ = kNoSlot;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_FORMATS_SIGBUS_GUARD_H_
