#include "server/kernels/kernels.h"

#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "server/kernels/simd_kernels.h"

namespace posenc::server {
namespace {

const std::vector<const Kernels*>& AllSimdKernels() {
  static const auto* const all = new std::vector<const Kernels*>(SimdKernels());
  return *all;
}

// Which kernels were asked for, until the first use settles it.
struct Choice {
  std::mutex mutex;
  const Kernels* forced = nullptr;
  bool used = false;
};

Choice& GetChoice() {
  static auto* const choice = new Choice;
  return *choice;
}

const Kernels& Resolve() {
  Choice& choice = GetChoice();
  const std::lock_guard lock(choice.mutex);
  choice.used = true;
  if (choice.forced != nullptr) return *choice.forced;
  const auto& all = AllSimdKernels();
  return all.empty() ? ReferenceKernels() : *all.front();
}

}  // namespace

std::vector<std::string> SupportedTargets() {
  std::vector<std::string> names;
  for (const Kernels* kernels : AllSimdKernels()) {
    names.emplace_back(kernels->target);
  }
  return names;
}

const Kernels* KernelsFor(absl::string_view target) {
  if (target == ReferenceKernels().target) return &ReferenceKernels();
  for (const Kernels* kernels : AllSimdKernels()) {
    if (target == kernels->target) return kernels;
  }
  return nullptr;
}

absl::Status ForceTarget(absl::string_view target) {
  const Kernels* kernels = KernelsFor(target);
  if (kernels == nullptr) {
    std::vector<std::string> known = SupportedTargets();
    known.emplace_back(ReferenceKernels().target);
    return absl::InvalidArgumentError(
        absl::StrCat("SIMD target \"", target,
                     "\" is unknown or not supported by this CPU; known are ",
                     absl::StrJoin(known, ", ")));
  }
  Choice& choice = GetChoice();
  const std::lock_guard lock(choice.mutex);
  if (choice.used) {
    return absl::FailedPreconditionError(
        absl::StrCat("SIMD target \"", target,
                     "\" was asked for after kernels were first used"));
  }
  choice.forced = kernels;
  return absl::OkStatus();
}

const Kernels& ActiveKernels() {
  static const Kernels& active = Resolve();
  return active;
}

}  // namespace posenc::server
