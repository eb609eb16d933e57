#ifndef POSENC_SERVER_DEVICES_CPU_OPS_H_
#define POSENC_SERVER_DEVICES_CPU_OPS_H_

// What the CPU device runs. Each op has rows, elements in a row, and types that
// are floating-point ones.

#include <cstddef>

#include "server/base/worker_pool.h"
#include "server/devices/device.h"
#include "server/kernels/kernels.h"

namespace posenc::server {

void RunAdd(const Kernels& kernels, WorkerPool& workers, const AddOp& op,
            std::byte* output);
void RunAddInPlace(const Kernels& kernels, WorkerPool& workers,
                   const AddOp& op);

void RunRotate(const Kernels& kernels, WorkerPool& workers, const RotateOp& op,
               std::byte* output);
void RunRotateInPlace(const Kernels& kernels, WorkerPool& workers,
                      const RotateOp& op);

}  // namespace posenc::server

#endif  // POSENC_SERVER_DEVICES_CPU_OPS_H_
