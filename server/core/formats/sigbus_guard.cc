#include "server/core/formats/sigbus_guard.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

// SYS_mmap takes the offset in bytes only where pointers have 64 bits.
static_assert(sizeof(void*) == 8);
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

// A guarded mapping. `begin` is 0 while the other members are not valid.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> damaged{false};
};

// What the signal handler reads: atomics, and what is written before it is
// installed.
constinit std::array<Slot, kMaxTableFiles> g_slots;
constinit std::uintptr_t g_page_bytes = 0;
constinit struct sigaction g_previous = {};

// Maps zeros from the page of `address` to `end`. By system call, since mmap()
// itself may be a sanitizer's.
bool MapZeros(std::uintptr_t address, std::uintptr_t end) {
  const std::uintptr_t page = address & ~(g_page_bytes - 1);
  const long mapped = syscall(SYS_mmap, page, end - page, PROT_READ,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L);
  return mapped == static_cast<long>(page);
}

// Whether the fault was in a guarded mapping, which now reads as zeros there.
bool Repair(std::uintptr_t address) {
  for (Slot& slot : g_slots) {
    const std::uintptr_t begin = slot.begin;
    if (begin == 0 || address < begin) continue;
    const std::uintptr_t end = slot.end;
    // If `begin` is still the same, so is the mapping that `end` belongs to:
    // another thread may be giving the slot to another mapping.
    if (address >= end || slot.begin != begin) continue;
    slot.damaged = true;
    return MapZeros(address, end);
  }
  return false;
}

void PassOn(int signal, siginfo_t* info, void* context) {
  if ((g_previous.sa_flags & SA_SIGINFO) != 0) {
    g_previous.sa_sigaction(signal, info, context);
    return;
  }
  const bool sent = info->si_code <= 0;
  if (g_previous.sa_handler == SIG_IGN && sent) return;
  if (g_previous.sa_handler == SIG_DFL || g_previous.sa_handler == SIG_IGN) {
    // Comes again when this handler returns, and ends the process.
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
    raise(signal);
    return;
  }
  g_previous.sa_handler(signal);
}

void HandleSigbus(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  // A signal that was sent by a process has no address.
  const bool fault = info->si_code > 0;
  if (!fault || !Repair(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    PassOn(signal, info, context);
  }
  errno = error;
}

absl::Status InstallHandler() {
  g_page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  if (sigaction(SIGBUS, nullptr, &g_previous) != 0) {
    return absl::ErrnoToStatus(errno, "can't read the SIGBUS handler");
  }
  struct sigaction action = {};
  action.sa_sigaction = HandleSigbus;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGBUS, &action, nullptr) != 0) {
    return absl::ErrnoToStatus(errno, "can't install a SIGBUS handler");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SigbusGuard> SigbusGuard::Create(const std::byte* begin,
                                                std::size_t bytes) {
  static const absl::Status installed = InstallHandler();
  if (!installed.ok()) return installed;
  for (std::size_t i = 0; i < g_slots.size(); ++i) {
    Slot& slot = g_slots[i];
    if (slot.taken.exchange(true)) continue;
    slot.damaged = false;
    slot.end = reinterpret_cast<std::uintptr_t>(begin) + bytes;
    slot.begin = reinterpret_cast<std::uintptr_t>(begin);
    return SigbusGuard(i);
  }
  return absl::ResourceExhaustedError(
      absl::StrCat(g_slots.size(), " files are mapped, and at most ",
                   kMaxTableFiles, " may be"));
}

SigbusGuard::SigbusGuard(SigbusGuard&& other) noexcept
    : slot_(std::exchange(other.slot_, kNoSlot)) {}

SigbusGuard& SigbusGuard::operator=(SigbusGuard&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

SigbusGuard::~SigbusGuard() {
  if (slot_ == kNoSlot) return;
  g_slots[slot_].begin = 0;
  g_slots[slot_].taken = false;
}

bool SigbusGuard::damaged() const { return g_slots[slot_].damaged; }

}  // namespace posenc::server
