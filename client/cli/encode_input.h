#ifndef POSENC_CLI_ENCODE_INPUT_H_
#define POSENC_CLI_ENCODE_INPUT_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "posenc/requests.h"
#include "posenc/tensor.h"

namespace posenc::cli {

// How the tokens of the input are arranged.
struct InputLayout {
  bool packed = false;  // [tokens, …] instead of [batch, sequence, …]
  posenc::BatchLayout batch = posenc::BatchLayout::kBatchFirst;
};

struct EncodeInput {
  posenc::EncodeParams::Input kind = posenc::EncodeParams::Input::kEmbeddings;
  posenc::SharedTensor tensor;
  // Set when token ids were given as sequences of different length, which were
  // padded to the longest: the length of each.
  std::optional<posenc::SharedTensor> lengths;
};

// The options that say what is encoded: a .npy file of embeddings or token ids,
// or token ids on the command line.
class EncodeInputOptions {
 public:
  // The object must outlive the parse of `app`.
  void AddTo(CLI::App& app);

  // Reads the file, or makes a batch of the ids. Token ids of one sequence
  // without a batch dimension get one.
  absl::StatusOr<EncodeInput> Read(const InputLayout& layout) const;

 private:
  absl::StatusOr<EncodeInput> FromIds(const InputLayout& layout) const;
  absl::StatusOr<EncodeInput> FromFile(const InputLayout& layout) const;

  std::string path_;
  std::vector<std::string> ids_;
  std::optional<std::int64_t> pad_id_;
  std::optional<posenc::DType> dtype_;
};

}  // namespace posenc::cli

#endif  // POSENC_CLI_ENCODE_INPUT_H_
