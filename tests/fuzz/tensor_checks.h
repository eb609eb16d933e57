#ifndef POSENC_TESTS_FUZZ_TENSOR_CHECKS_H_
#define POSENC_TESTS_FUZZ_TENSOR_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "server/base/limits.h"
#include "server/core/formats/table_format.h"

namespace posenc::server::testing {

// Aborts unless the tensors of a file that a parser has taken keep what
// NamedTensor promises. All their bytes together are no more than the file's,
// as they must be if no two tensors share one.
inline void CheckTensors(const std::vector<NamedTensor>& tensors,
                         std::span<const std::byte> file) {
  const auto check = [](bool holds) {
    if (!holds) std::abort();
  };
  std::size_t all_bytes = 0;
  check(tensors.size() <= kMaxTensorsInFile);
  for (const NamedTensor& tensor : tensors) {
    check(tensor.shape.size() <= kMaxRank);
    check(tensor.offset <= file.size());
    check(tensor.bytes <= file.size() - tensor.offset);
    all_bytes += tensor.bytes;
    check(all_bytes <= file.size());
    if (!tensor.dtype) continue;
    // Below 2^64, since both factors are at most the file's size.
    check(file.size() < (std::uint64_t{1} << 32));
    std::uint64_t bytes = SizeOf(*tensor.dtype);
    bool empty = false;
    for (const std::uint64_t extent : tensor.shape) empty |= extent == 0;
    for (const std::uint64_t extent : tensor.shape) {
      if (empty) break;
      check(extent <= file.size());
      bytes *= extent;
      check(bytes <= file.size());
    }
    check((empty ? 0 : bytes) == tensor.bytes);
  }
}

}  // namespace posenc::server::testing

#endif  // POSENC_TESTS_FUZZ_TENSOR_CHECKS_H_
