#include "client/cli/tensor_file.h"

#include "absl/strings/str_cat.h"
#include "client/cli/elements.h"
#include "client/cli/npy.h"
#include "client/cli/text_output.h"

namespace posenc::cli {

absl::Status SaveTensor(const std::string& path, const posenc::TensorView& view,
                        std::ostream& err) {
  if (path.empty()) return absl::OkStatus();
  if (absl::Status status = WriteNpy(path, view); !status.ok()) return status;
  if (view.dtype == posenc::DType::kBFloat16) {
    err << "note: " << path
        << " holds the bits of bfloat16 as uint16; NumPy has no type of its "
           "own for them\n";
  }
  return absl::OkStatus();
}

void PrintTensor(absl::string_view name, const posenc::TensorView& view,
                 const std::string& path, const PreviewSize& preview,
                 std::ostream& out) {
  PrintField(name,
             absl::StrCat(posenc::Name(view.dtype), " ", ShapeText(view.shape)),
             out);
  if (path.empty()) {
    PrintPreview(view, preview, out);
  } else {
    PrintField("written to", path, out);
  }
}

}  // namespace posenc::cli
