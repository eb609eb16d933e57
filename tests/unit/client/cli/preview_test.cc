#include "client/cli/preview.h"

#include <cmath>
#include <sstream>

#include "tests/unit/client/cli/cli_test_base.h"

namespace posenc::cli {
namespace {

std::string Preview(const std::vector<float>& values, posenc::Shape shape,
                    const PreviewSize& size) {
  std::ostringstream out;
  PrintPreview({std::span(values), std::move(shape)}, size, out);
  return out.str();
}

TEST(PreviewTest, ShowsAllOfASmallTensor) {
  EXPECT_EQ(Preview({0, 1, -0.25F, 10}, {2, 2}, {}),
            "[[ 0.000000   1.000000]\n"
            " [-0.250000  10.000000]]\n");
}

TEST(PreviewTest, MarksWhatIsLeftOut) {
  std::vector<float> values(3 * 3 * 3);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i);
  }
  EXPECT_EQ(Preview(values, {3, 3, 3}, {.rows = 2, .channels = 2}),
            "[[[ 0.000000   1.000000  …]\n"
            "  [ 3.000000   4.000000  …]\n"
            "  …]\n"
            " [[ 9.000000  10.000000  …]\n"
            "  [12.000000  13.000000  …]\n"
            "  …]\n"
            " …]\n");
}

TEST(PreviewTest, ChangesToExponentsForSmallAndLargeNumbers) {
  EXPECT_EQ(Preview({1e-5F, 1}, {1, 2}, {}),
            "[[1.000000e-05  1.000000e+00]]\n");
  EXPECT_EQ(Preview({1e7F}, {1, 1}, {}), "[[1.000000e+07]]\n");
}

TEST(PreviewTest, ShowsWhatIsNotFinite) {
  EXPECT_EQ(Preview({NAN, -HUGE_VALF, 1}, {3}, {}),
            "[     nan      -inf  1.000000]\n");
}

TEST(PreviewTest, ShowsEmptyTensorsAndNothing) {
  EXPECT_EQ(Preview({}, {0, 4}, {}), "[]\n");
  EXPECT_EQ(Preview({1, 2}, {1, 2}, {.rows = 0, .channels = 0}), "[…]\n");
}

TEST(PreviewTest, ReadsItsOptions) {
  PreviewOptions options;
  EXPECT_EQ(Parse(options, {"--rows", "7", "--channels", "3"}), "");
  EXPECT_EQ(options.size().rows, 7u);
  EXPECT_EQ(options.size().channels, 3u);
  EXPECT_EQ(PreviewOptions().size().rows, 4u);
  EXPECT_EQ(PreviewOptions().size().channels, 8u);
}

}  // namespace
}  // namespace posenc::cli
