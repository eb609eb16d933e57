#include "server/core/formats/safetensors_header.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/base/limits.h"
#include "server/core/formats/name.h"

namespace posenc::server {
namespace {

constexpr absl::string_view kMetadataKey = "__metadata__";

// Takes the parser's events. A place for each level that the format has, so
// that deeper nesting ends the parse where it begins.
class HeaderReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Unexpected("null"); }
  bool boolean(bool value) override {
    return Unexpected(value ? "true" : "false");
  }
  bool number_integer(number_integer_t value) override {
    return Unexpected(absl::StrCat(value));
  }
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t, const string_t& text) override {
    return Unexpected(Quoted(text));
  }
  bool string(string_t& value) override;
  bool binary(binary_t&) override { return Unexpected("binary data"); }
  bool start_object(std::size_t) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    return Fail(
        absl::StrCat("the header is no JSON from its byte ", position, " on"));
  }

  absl::StatusOr<std::vector<SafetensorsEntry>> Finish() && {
    if (!error_.empty()) return absl::InvalidArgumentError(error_);
    return std::move(entries_);
  }

 private:
  enum class Place { kStart, kTensors, kMetadata, kTensor, kShape, kOffsets };

  bool Fail(std::string message) {
    error_ = std::move(message);
    return false;
  }
  bool Unexpected(absl::string_view what);
  std::string Tensor() const { return absl::StrCat("tensor ", Quoted(name_)); }
  bool TensorKey(const std::string& field);

  Place place_ = Place::kStart;
  std::string name_;   // the last key in kTensors
  std::string field_;  // the last key in kTensor
  std::optional<std::string> dtype_;
  std::optional<Shape> shape_;
  std::optional<Shape> offsets_;
  std::unordered_set<std::string> names_;
  std::vector<SafetensorsEntry> entries_;
  std::string error_;
};

bool HeaderReader::Unexpected(absl::string_view what) {
  switch (place_) {
    case Place::kStart:
      return Fail(
          absl::StrCat("the header is ", what, ", but must be an object"));
    case Place::kTensors:
      return Fail(
          absl::StrCat(Tensor(), " is ", what, ", but must be an object"));
    case Place::kMetadata:
      return Fail(absl::StrCat(kMetadataKey, " holds ", what,
                               ", but must hold strings only"));
    case Place::kTensor:
      return Fail(absl::StrCat(
          field_, " of ", Tensor(), " is ", what, ", but must be ",
          field_ == "dtype" ? "a string" : "an array of integers"));
    case Place::kShape:
    case Place::kOffsets:
      return Fail(absl::StrCat(field_, " of ", Tensor(), " holds ", what,
                               ", but must hold integers from 0 to 2^64 - 1"));
  }
  return false;
}

bool HeaderReader::number_unsigned(number_unsigned_t value) {
  if (place_ != Place::kShape && place_ != Place::kOffsets) {
    return Unexpected(absl::StrCat(value));
  }
  Shape& numbers = place_ == Place::kShape ? *shape_ : *offsets_;
  const std::size_t most = place_ == Place::kShape ? kMaxRank : 2;
  if (numbers.size() == most) {
    return Fail(absl::StrCat(field_, " of ", Tensor(), " has more than ", most,
                             " numbers"));
  }
  numbers.push_back(value);
  return true;
}

bool HeaderReader::string(string_t& value) {
  if (place_ == Place::kMetadata) return true;
  if (place_ != Place::kTensor || field_ != "dtype") {
    return Unexpected("a string");
  }
  dtype_ = std::move(value);
  return true;
}

bool HeaderReader::start_object(std::size_t) {
  if (place_ == Place::kStart) {
    place_ = Place::kTensors;
    return true;
  }
  if (place_ != Place::kTensors) return Unexpected("an object");
  place_ = name_ == kMetadataKey ? Place::kMetadata : Place::kTensor;
  return true;
}

bool HeaderReader::key(string_t& name) {
  if (place_ == Place::kMetadata) return true;
  if (place_ == Place::kTensor) return TensorKey(name);
  name_ = name;
  if (!names_.insert(name).second) {
    return Fail(absl::StrCat("the header has ", Quoted(name), " twice"));
  }
  if (name != kMetadataKey && entries_.size() == kMaxTensorsInFile) {
    return Fail(absl::StrCat("the header has more than ", kMaxTensorsInFile,
                             " tensors"));
  }
  dtype_.reset();
  shape_.reset();
  offsets_.reset();
  return true;
}

bool HeaderReader::TensorKey(const std::string& field) {
  const bool dtype = field == "dtype";
  const bool shape = field == "shape";
  const bool offsets = field == "data_offsets";
  if (!dtype && !shape && !offsets) {
    return Fail(
        absl::StrCat(Tensor(), " has the unknown field ", Quoted(field)));
  }
  if (dtype ? dtype_.has_value() : (shape ? shape_ : offsets_).has_value()) {
    return Fail(absl::StrCat(Tensor(), " has ", field, " twice"));
  }
  field_ = field;
  return true;
}

bool HeaderReader::end_object() {
  if (place_ == Place::kTensors) return true;
  if (place_ == Place::kTensor) {
    const absl::string_view missing = !dtype_     ? "dtype"
                                      : !shape_   ? "shape"
                                      : !offsets_ ? "data_offsets"
                                                  : "";
    if (!missing.empty()) {
      return Fail(absl::StrCat(Tensor(), " has no ", missing));
    }
    if (offsets_->size() != 2) {
      return Fail(absl::StrCat("data_offsets of ", Tensor(), " has ",
                               offsets_->size(), " numbers, but must have 2"));
    }
    entries_.push_back({.name = name_,
                        .dtype = *std::move(dtype_),
                        .shape = *std::move(shape_),
                        .begin = (*offsets_)[0],
                        .end = (*offsets_)[1]});
  }
  place_ = Place::kTensors;
  return true;
}

bool HeaderReader::start_array(std::size_t) {
  if (place_ != Place::kTensor || field_ == "dtype") {
    return Unexpected("an array");
  }
  place_ = field_ == "shape" ? Place::kShape : Place::kOffsets;
  (place_ == Place::kShape ? shape_ : offsets_).emplace();
  return true;
}

bool HeaderReader::end_array() {
  place_ = Place::kTensor;
  return true;
}

}  // namespace

absl::StatusOr<std::vector<SafetensorsEntry>> ParseSafetensorsHeader(
    std::span<const std::byte> json) {
  const char* const text = reinterpret_cast<const char*>(json.data());
  // The parser takes a zero byte for the end, and no longer sees what follows.
  const auto zero = std::find(json.begin(), json.end(), std::byte{0});
  if (zero != json.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the header has a zero as its byte ", zero - json.begin()));
  }
  HeaderReader reader;
  nlohmann::json::sax_parse(text, text + json.size(), &reader);
  return std::move(reader).Finish();
}

}  // namespace posenc::server
