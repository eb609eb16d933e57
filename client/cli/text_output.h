#ifndef POSENC_CLI_TEXT_OUTPUT_H_
#define POSENC_CLI_TEXT_OUTPUT_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace posenc::cli {

// "1.5 MiB".
std::string BytesText(std::uint64_t bytes);

// At most six significant digits: "0.000103663".
std::string NumberText(double value);

// "name        value".
void PrintField(absl::string_view name, absl::string_view value,
                std::ostream& out);

// A table of text: a line of titles, then the rows, which have a cell for each
// title. Columns are as wide as their widest cell; all but the first stand to
// the right when `numbers` is set.
struct TextTable {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;
  bool numbers = false;
};
void PrintTable(const TextTable& table, std::ostream& out);

}  // namespace posenc::cli

#endif  // POSENC_CLI_TEXT_OUTPUT_H_
