#include "server/core/formats/table_format.h"

#include "absl/strings/match.h"
#include "server/core/formats/npy.h"
#include "server/core/formats/safetensors.h"

namespace posenc::server {
namespace {

constexpr TableFormat kFormats[] = {
    {".safetensors", ParseSafetensors},
    {".npy", ParseNpy},
};

}  // namespace

const TableFormat* FindTableFormat(absl::string_view file_name) {
  for (const TableFormat& format : kFormats) {
    if (absl::EndsWith(file_name, format.extension)) return &format;
  }
  return nullptr;
}

}  // namespace posenc::server
