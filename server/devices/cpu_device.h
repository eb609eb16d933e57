#ifndef POSENC_SERVER_DEVICES_CPU_DEVICE_H_
#define POSENC_SERVER_DEVICES_CPU_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "server/base/tensor.h"
#include "server/base/worker_pool.h"
#include "server/devices/buffer_pool.h"
#include "server/devices/device.h"
#include "server/kernels/kernels.h"

namespace posenc::server {

// The host as a device: tables stay where they are, responses come from a
// BufferPool, and an op runs on the caller's thread, in pieces with the help of
// idle workers if it is large.
class CpuDevice : public Device {
 public:
  // `kernels` do the work; they and `workers` outlive the device. At most
  // `max_response_bytes` bytes of responses are under way at a time.
  CpuDevice(const Kernels& kernels, std::uint64_t max_response_bytes,
            WorkerPool& workers);

  absl::string_view name() const override { return "cpu"; }
  std::string description() const override;
  absl::StatusOr<std::unique_ptr<DeviceTable>> Hold(HostTable table) override;
  absl::StatusOr<ResponseBuffer> AllocateResponse(std::size_t bytes) override;
  absl::Status Add(const AddOp& op, std::span<std::byte> output) override;
  absl::Status AddInPlace(const AddOp& op) override;
  absl::Status DropOut(const Dropout& dropout, DType dtype,
                       std::span<std::byte> values) override;
  absl::Status Rotate(const RotateOp& op, std::span<std::byte> output) override;
  absl::Status RotateInPlace(const RotateOp& op) override;

  // What the pool of responses has done.
  BufferPool::Counters pool_counters() const { return pool_->counters(); }

 private:
  const Kernels& kernels_;
  WorkerPool& workers_;
  const std::shared_ptr<BufferPool> pool_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_DEVICES_CPU_DEVICE_H_
