#ifndef POSENC_SERVER_DEVICES_CPU_DROPOUT_H_
#define POSENC_SERVER_DEVICES_CPU_DROPOUT_H_

#include <cstddef>
#include <span>

#include "server/base/worker_pool.h"
#include "server/devices/device.h"
#include "server/kernels/kernels.h"

namespace posenc::server {

// Device::DropOut, on this CPU's kernels and on the threads of `workers`.
void DropOutOnCpu(const Kernels& kernels, const Dropout& dropout, DType dtype,
                  WorkerPool& workers, std::span<std::byte> values);

}  // namespace posenc::server

#endif  // POSENC_SERVER_DEVICES_CPU_DROPOUT_H_
