#include "server/core/formats/npy.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/base/checked_math.h"
#include "server/base/limits.h"
#include "server/core/formats/name.h"
#include "server/core/formats/npy_dict.h"

namespace posenc::server {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);
// Magic and two bytes of version.
constexpr std::size_t kVersionEnd = 8;

// Where the dict is.
struct DictPlace {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

template <typename... What>
absl::Status Fail(const What&... what) {
  return absl::InvalidArgumentError(absl::StrCat(what...));
}

absl::StatusOr<DictPlace> FindDict(std::span<const std::byte> file) {
  const absl::string_view text(reinterpret_cast<const char*>(file.data()),
                               file.size());
  if (text.size() < kVersionEnd || text.substr(0, kMagic.size()) != kMagic) {
    return Fail("the file, of ", file.size(),
                " bytes, does not start with \\x93NUMPY and a version");
  }
  const int major = std::to_integer<int>(file[6]);
  const int minor = std::to_integer<int>(file[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return Fail("the file is of version ", major, ".", minor,
                ", but 1.0, 2.0 and 3.0 are known");
  }
  const std::size_t offset = kVersionEnd + (major == 1 ? 2 : 4);
  if (file.size() < offset) {
    return Fail("the file has ", file.size(), " bytes, but its version needs ",
                offset, " before the header");
  }
  std::size_t bytes = 0;
  for (std::size_t i = offset; i-- > kVersionEnd;) {
    bytes = bytes << 8 | std::to_integer<std::size_t>(file[i]);
  }
  if (bytes > kMaxNpyHeaderBytes) {
    return Fail("the header is said to have ", bytes, " bytes, but may have ",
                kMaxNpyHeaderBytes);
  }
  if (bytes > file.size() - offset) {
    return Fail("the header is said to have ", bytes,
                " bytes, but the file has ", file.size() - offset,
                " after its size");
  }
  return DictPlace{offset, bytes};
}

absl::StatusOr<DType> ReadDescr(absl::string_view descr) {
  constexpr struct {
    absl::string_view descr;
    DType dtype;
  } kDTypes[] = {{"<f4", DType::kFloat32},
                 {"<f2", DType::kFloat16},
                 {"<f8", DType::kFloat64},
                 {"<i4", DType::kInt32},
                 {"<i8", DType::kInt64}};
  for (const auto& known : kDTypes) {
    if (known.descr == descr) return known.dtype;
  }
  const absl::string_view why = descr.substr(0, 1) == ">"
                                    ? ", which is big-endian"
                                : descr.find('O') != absl::string_view::npos
                                    ? ", which means Python objects"
                                    : "";
  return Fail("descr is ", Quoted(descr), why,
              ", but must be <f4, <f2, <f8, <i4 or <i8");
}

}  // namespace

absl::StatusOr<std::vector<NamedTensor>> ParseNpy(
    std::span<const std::byte> file) {
  const auto place = FindDict(file);
  if (!place.ok()) return place.status();
  // A copy, since the parser looks at a byte more than once.
  const std::string text(
      reinterpret_cast<const char*>(file.data()) + place->offset, place->bytes);
  auto dict = ParseNpyDict(text);
  if (!dict.ok()) return dict.status();
  const auto dtype = ReadDescr(dict->descr);
  if (!dtype.ok()) return dtype.status();
  if (dict->fortran_order) {
    return Fail("fortran_order is True, but the data must be in C order");
  }
  const auto elements = CheckedProduct(dict->shape);
  const auto bytes =
      elements ? CheckedMultiply(*elements, SizeOf(*dtype)) : std::nullopt;
  if (!bytes) {
    return Fail("the array is ", dict->descr, " ", ToString(dict->shape),
                ", which is more than 2^64 bytes");
  }
  const std::uint64_t offset = place->offset + place->bytes;
  if (file.size() - offset != *bytes) {
    return Fail("the array is ", dict->descr, " ", ToString(dict->shape),
                ", which is ", *bytes, " bytes, but the file has ",
                file.size() - offset, " after the header");
  }
  return std::vector<NamedTensor>{{.name = std::nullopt,
                                   .dtype_in_file = std::move(dict->descr),
                                   .dtype = *dtype,
                                   .shape = std::move(dict->shape),
                                   .offset = offset,
                                   .bytes = *bytes}};
}

}  // namespace posenc::server
