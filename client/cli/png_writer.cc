#include "client/cli/png_writer.h"

#include <png.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"

namespace posenc::cli {

absl::Status WritePng(const std::string& path, const Image& image) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<std::uint32_t>(image.width());
  png.height = static_cast<std::uint32_t>(image.height());
  png.format = PNG_FORMAT_RGB;
  const int written =
      png_image_write_to_file(&png, path.c_str(), /*convert_to_8bit=*/0,
                              image.bytes().data(), /*row_stride=*/0, nullptr);
  if (written == 0) {
    return LocalError(absl::StrCat("'", path, "': ", png.message));
  }
  return absl::OkStatus();
}

}  // namespace posenc::cli
