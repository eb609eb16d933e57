#ifndef POSENC_TESTS_UNIT_SERVER_KERNELS_ALL_TARGETS_H_
#define POSENC_TESTS_UNIT_SERVER_KERNELS_ALL_TARGETS_H_

#include <string>
#include <vector>

#include "server/kernels/kernels.h"

namespace posenc::server::testing {

// Names for KernelsFor: what this CPU has, and the reference.
inline std::vector<std::string> AllTargets() {
  std::vector<std::string> targets = SupportedTargets();
  targets.emplace_back("reference");
  return targets;
}

}  // namespace posenc::server::testing

#endif  // POSENC_TESTS_UNIT_SERVER_KERNELS_ALL_TARGETS_H_
