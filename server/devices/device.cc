#include "server/devices/device.h"

#include "absl/strings/str_cat.h"
#include "server/devices/cpu_device.h"
#include "server/kernels/kernels.h"

namespace posenc::server {

absl::StatusOr<std::unique_ptr<Device>> MakeDevice(
    absl::string_view name, std::uint64_t max_response_bytes,
    WorkerPool& workers) {
  if (name == "cpu") {
    return std::make_unique<CpuDevice>(ActiveKernels(), max_response_bytes,
                                       workers);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("device \"", name, "\" is unknown; known are cpu"));
}

}  // namespace posenc::server
