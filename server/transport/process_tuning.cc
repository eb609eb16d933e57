#include "server/transport/process_tuning.h"

#include <malloc.h>

#include "absl/synchronization/mutex.h"
#include "server/base/limits.h"

namespace posenc::server {

void TuneProcess() {
  // Messages come and go in pieces of 8 and 64 KiB. By default malloc gives
  // their pages back to the system whenever a message goes, and the next one
  // faults them in again, which costs more than all else that is done to it.
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(kGiB));
  mallopt(M_TOP_PAD, static_cast<int>(64 * kMiB));
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(32 * kMiB));
  // Debian builds Abseil, whose mutexes gRPC uses, to look for lock cycles.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

}  // namespace posenc::server
