#include "client/cli/text_output.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace posenc::cli {
namespace {

constexpr int kFieldWidth = 14;

// Characters of UTF-8.
std::size_t Width(absl::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

void PrintRow(const std::vector<std::string>& cells,
              const std::vector<std::size_t>& widths, bool numbers,
              std::ostream& out) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string gap(widths[i] - Width(cells[i]), ' ');
    const bool right = numbers && i > 0;
    absl::StrAppend(&line, i == 0 ? "" : "  ", right ? gap : "", cells[i],
                    right ? "" : gap);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

}  // namespace

std::string BytesText(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string NumberText(double value) { return absl::StrFormat("%.6g", value); }

void PrintField(absl::string_view name, absl::string_view value,
                std::ostream& out) {
  out << absl::StrFormat("%-*s%s\n", kFieldWidth, name, value);
}

void PrintTable(const TextTable& table, std::ostream& out) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.titles.size(); ++i) {
    std::size_t width = Width(table.titles[i]);
    for (const auto& row : table.rows) width = std::max(width, Width(row[i]));
    widths.push_back(width);
  }
  PrintRow(table.titles, widths, table.numbers, out);
  for (const auto& row : table.rows) PrintRow(row, widths, table.numbers, out);
}

}  // namespace posenc::cli
