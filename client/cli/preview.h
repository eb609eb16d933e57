#ifndef POSENC_CLI_PREVIEW_H_
#define POSENC_CLI_PREVIEW_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <ostream>

#include "posenc/tensor.h"

namespace posenc::cli {

// How much of a tensor is shown.
struct PreviewSize {
  std::uint64_t rows = 4;      // of each dimension but the last
  std::uint64_t channels = 8;  // of the last
};

// --rows and --channels.
class PreviewOptions {
 public:
  // The object must outlive the parse of `app`.
  void AddTo(CLI::App& app);
  PreviewSize size() const;

 private:
  std::optional<std::uint64_t> rows_;
  std::optional<std::uint64_t> channels_;
};

// The first elements of a tensor in nested brackets, in columns, with … for
// what is left out.
void PrintPreview(const posenc::TensorView& view, const PreviewSize& size,
                  std::ostream& out);

}  // namespace posenc::cli

#endif  // POSENC_CLI_PREVIEW_H_
