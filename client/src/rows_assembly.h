#ifndef POSENC_CLIENT_SRC_ROWS_ASSEMBLY_H_
#define POSENC_CLIENT_SRC_ROWS_ASSEMBLY_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "posenc/tensor.h"
#include "posenc/v1/encoding.pb.h"

namespace posenc {

// Puts the pieces of a streamed [rows, d_model] together, and believes none of
// them: whatever does not fit is INTERNAL.
class RowsAssembly {
 public:
  // Told bytes so far and in all; may be empty.
  using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

  // RESOURCE_EXHAUSTED if there is no memory for the rows.
  static absl::StatusOr<RowsAssembly> Create(DType dtype, std::uint64_t rows,
                                             std::uint64_t d_model,
                                             Progress progress);

  // Copies the next rows.
  absl::Status Add(const v1::Tensor& piece);

  // All rows, once all have come.
  absl::StatusOr<Tensor> Finish() &&;

 private:
  RowsAssembly(Tensor tensor, Progress progress);

  Tensor tensor_;
  std::size_t filled_ = 0;  // bytes
  Progress progress_;
};

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_ROWS_ASSEMBLY_H_
