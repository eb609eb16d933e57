#include "client/cli/png_writer.h"

#include <png.h>

#include "client/cli/exit_code.h"
#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

using testing::HasSubstr;

TEST(PngWriterTest, DecodesToTheSamePixels) {
  Image image(37, 21, {255, 255, 255});
  for (std::size_t i = 0; i < 21; ++i) {
    image.Fill(i, i, 3, 1, {static_cast<std::uint8_t>(10 * i), 7, 200});
  }
  const ScratchDirectory scratch;
  const std::string path = scratch.Path("x.png");
  ASSERT_TRUE(WritePng(path, image).ok());

  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&png, path.c_str()), 0);
  EXPECT_EQ(png.width, 37u);
  EXPECT_EQ(png.height, 21u);
  png.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(png));
  ASSERT_NE(png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr), 0);
  EXPECT_TRUE(std::equal(pixels.begin(), pixels.end(), image.bytes().begin(),
                         image.bytes().end()));
}

TEST(PngWriterTest, NamesTheFileThatCannotBeWritten) {
  const ScratchDirectory scratch;
  const absl::Status status =
      WritePng(scratch.Path("no/x.png"), Image(1, 1, {}));
  EXPECT_EQ(ExitCodeFor(status), ExitCode::kUsage);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no/x.png"));
}

}  // namespace
}  // namespace posenc::cli
