#include "server/core/formats/name.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;
};

// The code point that text starts with, as Table 3-7 of the Unicode standard
// allows it: no surrogates, no longer form than needed.
std::optional<CodePoint> FirstCodePoint(absl::string_view text) {
  constexpr std::uint32_t kFirstOfLength[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  if (text.empty()) return std::nullopt;
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return CodePoint{lead, 1};
  const std::size_t bytes = lead >= 0xf8   ? 0
                            : lead >= 0xf0 ? 4
                            : lead >= 0xe0 ? 3
                            : lead >= 0xc0 ? 2
                                           : 0;
  if (bytes == 0 || bytes > text.size()) return std::nullopt;
  std::uint32_t value = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return std::nullopt;
    value = value << 6 | (byte(i) & 0x3f);
  }
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kFirstOfLength[bytes] || value > 0x10ffff || surrogate) {
    return std::nullopt;
  }
  return CodePoint{value, bytes};
}

bool IsControl(std::uint32_t value) {
  return value < 0x20 || (value >= 0x7f && value < 0xa0);
}

}  // namespace

bool IsTableName(absl::string_view name) {
  if (name.empty() || name.size() > kMaxNameBytes) return false;
  while (!name.empty()) {
    const auto first = FirstCodePoint(name);
    if (!first || IsControl(first->value)) return false;
    name.remove_prefix(first->bytes);
  }
  return true;
}

std::string Quoted(absl::string_view text) {
  std::string quoted = "'";
  while (!text.empty()) {
    if (quoted.size() > kMaxNameBytes) {
      quoted += "…";
      break;
    }
    const auto first = FirstCodePoint(text);
    const std::size_t bytes = first ? first->bytes : 1;
    const absl::string_view piece = text.substr(0, bytes);
    if (first && !IsControl(first->value)) {
      absl::StrAppend(&quoted, piece);
    } else {
      for (const char c : piece) {
        absl::StrAppend(&quoted, "\\x",
                        absl::BytesToHexString(absl::string_view(&c, 1)));
      }
    }
    text.remove_prefix(bytes);
  }
  return quoted + "'";
}

}  // namespace posenc::server
