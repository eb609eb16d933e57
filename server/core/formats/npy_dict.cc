#include "server/core/formats/npy_dict.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/base/checked_math.h"
#include "server/base/limits.h"
#include "server/core/formats/name.h"

namespace posenc::server {
namespace {

// Reads the few Python literals that a header is made of. The first error
// stays; after it, nothing is taken.
class LiteralReader {
 public:
  explicit LiteralReader(absl::string_view text) : text_(text) {}

  // Takes the word if it comes next.
  bool Take(absl::string_view word);
  void Expect(absl::string_view word);
  bool AtEnd();
  std::string ReadString();
  bool ReadBool();
  Shape ReadShape();

  void Fail(absl::string_view message) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(message);
  }
  const absl::Status& status() const { return status_; }

 private:
  void SkipSpace();
  // Fails with what stands at the cursor.
  void Expected(absl::string_view what);
  std::uint64_t ReadInteger();

  absl::string_view text_;
  std::size_t at_ = 0;
  absl::Status status_;
};

void LiteralReader::SkipSpace() {
  at_ = std::min(text_.find_first_not_of(" \t\r\n\f", at_), text_.size());
}

bool LiteralReader::Take(absl::string_view word) {
  SkipSpace();
  if (!status_.ok() || text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

void LiteralReader::Expect(absl::string_view word) {
  if (!Take(word)) Expected(word);
}

bool LiteralReader::AtEnd() {
  SkipSpace();
  return at_ == text_.size();
}

void LiteralReader::Expected(absl::string_view what) {
  Fail(absl::StrCat("the header has ", Quoted(text_.substr(at_, 16)),
                    " at its byte ", at_, ", but ", what, " is expected"));
}

std::string LiteralReader::ReadString() {
  for (const char quote : {'\'', '"'}) {
    if (!Take(absl::string_view(&quote, 1))) continue;
    const std::size_t end = text_.find(quote, at_);
    const absl::string_view value = text_.substr(at_, end - at_);
    if (end == absl::string_view::npos ||
        value.find('\\') != absl::string_view::npos) {
      break;
    }
    at_ = end + 1;
    return std::string(value);
  }
  Expected("a string");
  return "";
}

bool LiteralReader::ReadBool() {
  if (Take("True")) return true;
  if (!Take("False")) Expected("True or False");
  return false;
}

std::uint64_t LiteralReader::ReadInteger() {
  SkipSpace();
  const std::size_t begin = at_;
  std::uint64_t value = 0;
  for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
    const auto shifted = CheckedMultiply(value, 10);
    const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
    const auto next = shifted ? CheckedAdd(*shifted, digit) : std::nullopt;
    if (!next) {
      Fail(absl::StrCat("shape has ", Quoted(text_.substr(begin, 32)),
                        ", which is more than 2^64 - 1"));
      return 0;
    }
    value = *next;
  }
  if (at_ == begin) Expected("an integer from 0 on");
  // Python 2 wrote long integers with a letter.
  if (at_ < text_.size() && text_[at_] == 'L') ++at_;
  return value;
}

Shape LiteralReader::ReadShape() {
  Shape shape;
  Expect("(");
  while (status_.ok() && !Take(")")) {
    if (shape.size() == kMaxRank) {
      Fail(absl::StrCat("shape has more than ", kMaxRank, " numbers"));
      break;
    }
    shape.push_back(ReadInteger());
    // (3) is an integer, not a tuple.
    if (!Take(",")) {
      Expect(shape.size() == 1 ? "," : ")");
      break;
    }
  }
  return shape;
}

}  // namespace

absl::StatusOr<NpyDict> ParseNpyDict(absl::string_view text) {
  LiteralReader reader(text);
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;
  reader.Expect("{");
  while (reader.status().ok() && !reader.Take("}")) {
    const std::string key = reader.ReadString();
    reader.Expect(":");
    if (!reader.status().ok()) break;
    if (key == "descr" && !descr) {
      descr = reader.ReadString();
    } else if (key == "fortran_order" && !fortran_order) {
      fortran_order = reader.ReadBool();
    } else if (key == "shape" && !shape) {
      shape = reader.ReadShape();
    } else {
      reader.Fail(absl::StrCat("the header has the key ", Quoted(key),
                               ", which is unknown or there already"));
    }
    if (!reader.Take(",")) {
      reader.Expect("}");
      break;
    }
  }
  if (reader.status().ok() && !reader.AtEnd()) {
    reader.Fail("the header goes on after its dict");
  }
  if (!reader.status().ok()) return reader.status();
  if (!descr || !fortran_order || !shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("the header has no ", !descr           ? "descr"
                                           : !fortran_order ? "fortran_order"
                                                            : "shape"));
  }
  return NpyDict{*std::move(descr), *fortran_order, *std::move(shape)};
}

}  // namespace posenc::server
