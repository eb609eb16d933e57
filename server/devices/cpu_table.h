#ifndef POSENC_SERVER_DEVICES_CPU_TABLE_H_
#define POSENC_SERVER_DEVICES_CPU_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "server/base/tensor.h"
#include "server/devices/device.h"

namespace posenc::server {

// A matrix that stays where it is.
class CpuTable : public DeviceTable {
 public:
  explicit CpuTable(HostTable table)
      : table_(std::move(table)),
        row_bytes_(table_.width * SizeOf(table_.dtype)) {}

  DType dtype() const override { return table_.dtype; }
  std::uint64_t rows() const override { return table_.rows; }
  std::uint64_t width() const override { return table_.width; }

  std::size_t row_bytes() const { return row_bytes_; }
  const std::byte* Row(std::uint64_t row) const {
    return table_.data + row * row_bytes_;
  }

 private:
  HostTable table_;
  std::size_t row_bytes_;
};

// REQUIRES: a table of the CPU device.
inline const CpuTable& AsCpuTable(const DeviceTable* table) {
  return static_cast<const CpuTable&>(*table);
}

// Asks for the head of a row that comes soon; the CPU follows the rest itself.
inline void PrefetchRow(const CpuTable& table, std::uint64_t row) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kLines = 4;
  for (std::size_t i = 0; i < std::min(table.row_bytes(), kLines * kLine);
       i += kLine) {
    __builtin_prefetch(table.Row(row) + i);
  }
}

// How many rows before it is read a gathered row is asked for.
inline constexpr std::uint64_t kRowsAhead = 4;

}  // namespace posenc::server

#endif  // POSENC_SERVER_DEVICES_CPU_TABLE_H_
