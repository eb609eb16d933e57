#include "server/core/formats/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/base/checked_math.h"
#include "server/base/limits.h"
#include "server/core/formats/name.h"
#include "server/core/formats/safetensors_header.h"

namespace posenc::server {
namespace {

constexpr std::size_t kLengthBytes = 8;

struct KnownDType {
  absl::string_view text;
  std::uint64_t bytes = 0;
  std::optional<DType> dtype;
};

constexpr KnownDType kDTypes[] = {
    {"F32", 4, DType::kFloat32},   {"F16", 2, DType::kFloat16},
    {"BF16", 2, DType::kBFloat16}, {"F64", 8, DType::kFloat64},
    {"I32", 4, DType::kInt32},     {"I64", 8, DType::kInt64},
    {"BOOL", 1, std::nullopt},     {"U8", 1, std::nullopt},
    {"I8", 1, std::nullopt},       {"U16", 2, std::nullopt},
    {"I16", 2, std::nullopt},      {"U32", 4, std::nullopt},
    {"U64", 8, std::nullopt},      {"F8_E4M3", 1, std::nullopt},
    {"F8_E5M2", 1, std::nullopt},  {"C64", 8, std::nullopt},
};

const KnownDType* FindDType(absl::string_view text) {
  const auto* const found =
      std::find_if(std::begin(kDTypes), std::end(kDTypes),
                   [&](const KnownDType& known) { return known.text == text; });
  return found == std::end(kDTypes) ? nullptr : found;
}

// The header's size, which the file starts with.
absl::StatusOr<std::uint64_t> ReadHeaderBytes(std::span<const std::byte> file) {
  if (file.size() < kLengthBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the file has ", file.size(),
        " bytes, but starts with a header size of ", kLengthBytes));
  }
  std::uint64_t bytes = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) {
    bytes = bytes << 8 | std::to_integer<std::uint64_t>(file[i]);
  }
  if (bytes > kMaxSafetensorsHeaderBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the header is said to have ", bytes,
                     " bytes, but may have ", kMaxSafetensorsHeaderBytes));
  }
  const std::uint64_t rest = file.size() - kLengthBytes;
  if (bytes > rest) {
    return absl::InvalidArgumentError(
        absl::StrCat("the header is said to have ", bytes,
                     " bytes, but the file has ", rest, " after its size"));
  }
  return bytes;
}

// Offsets in order and within the data, and as far apart as dtype and shape
// tell.
absl::Status CheckEntry(const SafetensorsEntry& entry,
                        std::uint64_t data_bytes) {
  const auto fail = [&](const auto&... what) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor ", Quoted(entry.name), " ", what...));
  };
  if (entry.begin > entry.end) {
    return fail("begins at ", entry.begin, " but ends at ", entry.end);
  }
  if (entry.end > data_bytes) {
    return fail("ends at byte ", entry.end, " of the data, which has ",
                data_bytes);
  }
  const KnownDType* const known = FindDType(entry.dtype);
  if (known == nullptr) return absl::OkStatus();
  const auto elements = CheckedProduct(entry.shape);
  const auto bytes =
      elements ? CheckedMultiply(*elements, known->bytes) : std::nullopt;
  if (!bytes) {
    return fail("is ", entry.dtype, " ", ToString(entry.shape),
                ", which is more than 2^64 bytes");
  }
  if (entry.end - entry.begin != *bytes) {
    return fail("is ", entry.dtype, " ", ToString(entry.shape), ", which is ",
                *bytes, " bytes, but its offsets are ", entry.end - entry.begin,
                " apart");
  }
  return absl::OkStatus();
}

// Every byte of the data belongs to one tensor.
absl::Status CheckLayout(const std::vector<SafetensorsEntry>& entries,
                         std::uint64_t data_bytes) {
  std::vector<const SafetensorsEntry*> sorted;
  sorted.reserve(entries.size());
  for (const SafetensorsEntry& entry : entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return std::tie(a->begin, a->end) < std::tie(b->begin, b->end);
  });
  std::uint64_t covered = 0;
  const SafetensorsEntry* before = nullptr;
  for (const SafetensorsEntry* const entry : sorted) {
    if (entry->begin < covered) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tensor ", Quoted(entry->name), " begins at ", entry->begin,
          ", but tensor ", Quoted(before->name), " ends at ", before->end));
    }
    if (entry->begin > covered) break;
    covered = entry->end;
    before = entry;
  }
  if (covered != data_bytes) {
    return absl::InvalidArgumentError(absl::StrCat("the data has ", data_bytes,
                                                   " bytes, but byte ", covered,
                                                   " is in no tensor"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<NamedTensor>> ParseSafetensors(
    std::span<const std::byte> file) {
  const auto header_bytes = ReadHeaderBytes(file);
  if (!header_bytes.ok()) return header_bytes.status();
  const std::uint64_t data_start = kLengthBytes + *header_bytes;
  const std::uint64_t data_bytes = file.size() - data_start;
  auto entries =
      ParseSafetensorsHeader(file.subspan(kLengthBytes, *header_bytes));
  if (!entries.ok()) return entries.status();
  for (const SafetensorsEntry& entry : *entries) {
    const absl::Status status = CheckEntry(entry, data_bytes);
    if (!status.ok()) return status;
  }
  const absl::Status status = CheckLayout(*entries, data_bytes);
  if (!status.ok()) return status;
  std::vector<NamedTensor> tensors;
  tensors.reserve(entries->size());
  for (SafetensorsEntry& entry : *entries) {
    const KnownDType* const known = FindDType(entry.dtype);
    tensors.push_back({.name = std::move(entry.name),
                       .dtype_in_file = std::move(entry.dtype),
                       .dtype = known == nullptr ? std::nullopt : known->dtype,
                       .shape = std::move(entry.shape),
                       .offset = data_start + entry.begin,
                       .bytes = entry.end - entry.begin});
  }
  return tensors;
}

}  // namespace posenc::server
