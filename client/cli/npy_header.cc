#include "client/cli/npy_header.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace posenc::cli {
namespace {

constexpr std::size_t kMaxRank = 32;  // NumPy 1's own limit
constexpr std::size_t kPrefixAlignment = 64;

// Takes the header apart from the front. Each Take gives nullopt, and takes
// nothing that matters, where its kind of thing does not stand.
class Parser {
 public:
  explicit Parser(absl::string_view text) : rest_(text) {}

  bool Take(absl::string_view token) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return absl::ConsumePrefix(&rest_, token);
  }

  bool AtEnd() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return rest_.empty();
  }

  std::optional<std::string> TakeString() {
    const char* const quote = Take("'") ? "'" : Take("\"") ? "\"" : nullptr;
    if (quote == nullptr) return std::nullopt;
    const std::size_t end = rest_.find(quote);
    if (end == absl::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::optional<bool> TakeBool() {
    if (Take("True")) return true;
    if (Take("False")) return false;
    return std::nullopt;
  }

  std::optional<std::uint64_t> TakeExtent() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    std::size_t digits = 0;
    while (digits < rest_.size() && absl::ascii_isdigit(rest_[digits])) {
      ++digits;
    }
    std::uint64_t extent = 0;
    if (!absl::SimpleAtoi(rest_.substr(0, digits), &extent)) {
      return std::nullopt;
    }
    rest_.remove_prefix(digits);
    return extent;
  }

  // "()", "(3,)", "(3, 4)", "(3, 4,)"; "(3)" is no tuple.
  std::optional<posenc::Shape> TakeShape() {
    if (!Take("(")) return std::nullopt;
    posenc::Shape shape;
    bool comma = true;
    while (!Take(")")) {
      const std::optional<std::uint64_t> extent = TakeExtent();
      if (!comma || !extent || shape.size() == kMaxRank) return std::nullopt;
      shape.push_back(*extent);
      comma = Take(",");
    }
    if (shape.size() == 1 && !comma) return std::nullopt;
    return shape;
  }

 private:
  absl::string_view rest_;
};

struct Fields {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<posenc::Shape> shape;
};

template <typename T>
absl::Status SetOnce(const char* key, std::optional<T>& field,
                     std::optional<T> value) {
  if (field) return absl::InvalidArgumentError(absl::StrCat(key, " is twice"));
  if (!value) {
    return absl::InvalidArgumentError(
        absl::StrCat(key, " has a value of the wrong type"));
  }
  field = std::move(value);
  return absl::OkStatus();
}

absl::Status TakeItem(Parser& parser, Fields& fields) {
  const std::optional<std::string> key = parser.TakeString();
  if (!key || !parser.Take(":")) {
    return absl::InvalidArgumentError("the header is not a dict");
  }
  if (*key == "descr") {
    return SetOnce("descr", fields.descr, parser.TakeString());
  }
  if (*key == "fortran_order") {
    return SetOnce("fortran_order", fields.fortran_order, parser.TakeBool());
  }
  if (*key == "shape") {
    return SetOnce("shape", fields.shape, parser.TakeShape());
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown key '", *key, "'"));
}

}  // namespace

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view text) {
  Parser parser(text);
  Fields fields;
  bool comma = parser.Take("{");
  while (comma && !parser.Take("}")) {
    if (absl::Status status = TakeItem(parser, fields); !status.ok()) {
      return status;
    }
    comma = parser.Take(",");
    if (!comma && parser.Take("}")) break;
    if (!comma) return absl::InvalidArgumentError("the header is not a dict");
  }
  if (!parser.AtEnd()) {
    return absl::InvalidArgumentError("the header is not one dict alone");
  }
  if (!fields.descr || !fields.fortran_order || !fields.shape) {
    return absl::InvalidArgumentError(
        "the header lacks one of descr, fortran_order and shape");
  }
  return NpyHeader{*std::move(fields.descr), *fields.fortran_order,
                   *std::move(fields.shape)};
}

std::string NpyPrefix(const NpyHeader& header) {
  std::string dict = absl::StrCat(
      "{'descr': '", header.descr,
      "', 'fortran_order': ", header.fortran_order ? "True" : "False",
      ", 'shape': (", absl::StrJoin(header.shape, ", "),
      header.shape.size() == 1 ? ",), }" : "), }");
  constexpr std::size_t kBeforeDict = 10;
  // Spaces, then a newline, so that the data are aligned.
  while ((kBeforeDict + dict.size() + 1) % kPrefixAlignment != 0) dict += ' ';
  dict += '\n';
  std::string prefix("\x93NUMPY\x01\x00", 8);
  prefix += static_cast<char>(dict.size() & 0xFF);
  prefix += static_cast<char>(dict.size() >> 8);
  return prefix + dict;
}

}  // namespace posenc::cli
