#include "server/devices/cpu_device.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/limits.h"
#include "server/devices/cpu_dropout.h"
#include "server/devices/cpu_ops.h"
#include "server/devices/cpu_table.h"

namespace posenc::server {
namespace {

absl::Status CheckFloats(const RowsOp& op) {
  if (IsFloat(op.SourceDType()) && IsFloat(op.output_dtype)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("encodings are for floating-point numbers, not for ",
                   Name(op.SourceDType()), " to give ", Name(op.output_dtype)));
}

bool IsEmpty(const RowsOp& op) { return op.rows == 0 || op.width == 0; }

}  // namespace

CpuDevice::CpuDevice(const Kernels& kernels, std::uint64_t max_response_bytes,
                     WorkerPool& workers)
    : kernels_(kernels),
      workers_(workers),
      pool_(BufferPool::Create(max_response_bytes, kPooledBytes)) {}

std::string CpuDevice::description() const {
  return absl::StrCat("cpu, ", kernels_.target);
}

absl::StatusOr<std::unique_ptr<DeviceTable>> CpuDevice::Hold(HostTable table) {
  return std::make_unique<CpuTable>(std::move(table));
}

absl::StatusOr<ResponseBuffer> CpuDevice::AllocateResponse(std::size_t bytes) {
  return pool_->Allocate(bytes);
}

absl::Status CpuDevice::Add(const AddOp& op, std::span<std::byte> output) {
  const absl::Status floats = CheckFloats(op);
  if (!floats.ok() || IsEmpty(op)) return floats;
  RunAdd(kernels_, workers_, op, output.data());
  return absl::OkStatus();
}

absl::Status CpuDevice::AddInPlace(const AddOp& op) {
  const absl::Status floats = CheckFloats(op);
  if (!floats.ok() || IsEmpty(op)) return floats;
  RunAddInPlace(kernels_, workers_, op);
  return absl::OkStatus();
}

absl::Status CpuDevice::Rotate(const RotateOp& op,
                               std::span<std::byte> output) {
  const absl::Status floats = CheckFloats(op);
  if (!floats.ok() || IsEmpty(op)) return floats;
  RunRotate(kernels_, workers_, op, output.data());
  return absl::OkStatus();
}

absl::Status CpuDevice::RotateInPlace(const RotateOp& op) {
  const absl::Status floats = CheckFloats(op);
  if (!floats.ok() || IsEmpty(op)) return floats;
  RunRotateInPlace(kernels_, workers_, op);
  return absl::OkStatus();
}

absl::Status CpuDevice::DropOut(const Dropout& dropout, DType dtype,
                                std::span<std::byte> values) {
  DropOutOnCpu(kernels_, dropout, dtype, workers_, values);
  return absl::OkStatus();
}

}  // namespace posenc::server
