#ifndef POSENC_CLI_POSITIONS_OPTIONS_H_
#define POSENC_CLI_POSITIONS_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "posenc/requests.h"
#include "posenc/tensor.h"

namespace posenc::cli {

// Positions with the memory that they are in.
struct PositionArrays {
  std::optional<std::int64_t> offset;
  std::optional<posenc::SharedTensor> values;
  std::optional<posenc::SharedTensor> padded_lengths;
  std::optional<posenc::SharedTensor> packed_lengths;
  std::optional<posenc::SharedTensor> attention_mask;
  std::optional<std::int64_t> padding_id;
  std::optional<double> stride;

  // Views into this object's memory.
  posenc::Positions View() const;
};

// "0,1,2.5" or FILE.npy: kInt64 when all numbers are integers, else kFloat64.
// `option` is named in errors.
absl::StatusOr<posenc::SharedTensor> ReadPositions(const std::string& option,
                                                   const std::string& value);

// The options that say where each token is.
class PositionsOptions {
 public:
  // The object must outlive the parse of `app`.
  void AddTo(CLI::App& app);

  // Reads the files that were named.
  absl::StatusOr<PositionArrays> Read() const;

  bool packed() const { return !packed_.empty(); }

 private:
  std::optional<std::int64_t> offset_;
  std::string positions_;  // numbers, or a .npy file
  std::string lengths_;
  std::string packed_;
  std::string mask_;  // a .npy file
  std::optional<std::int64_t> padding_id_;
  std::optional<double> stride_;
};

}  // namespace posenc::cli

#endif  // POSENC_CLI_POSITIONS_OPTIONS_H_
