#include "server/core/embedding_store.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/dtype.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/core/formats/name.h"
#include "server/core/formats/table_format.h"

namespace posenc::server {
namespace {

namespace fs = std::filesystem;

// A NOT_FOUND that lists names stays far below the 8 KiB that gRPC allows for
// trailers, also when it is escaped and sent twice.
constexpr std::size_t kMaxListedNames = 8;
constexpr std::size_t kMaxListedBytes = 512;

absl::Status Annotate(const absl::Status& status, absl::string_view what) {
  return absl::Status(status.code(),
                      absl::StrCat(what, ": ", status.message()));
}

absl::Status SystemError(const std::error_code& error) {
  return absl::ErrnoToStatus(error.value(), "can't read it");
}

// The names of the table files of a directory, in order.
absl::StatusOr<std::vector<std::string>> TableFiles(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end;
       !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename();
    if (name.front() == '.' || FindTableFormat(name) == nullptr) continue;
    names.push_back(std::move(name));
  }
  if (error) return SystemError(error);
  if (names.size() > kMaxTableFiles) {
    return absl::ResourceExhaustedError(
        absl::StrCat("it has ", names.size(), " table files, but at most ",
                     kMaxTableFiles, " can be served"));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The file itself where the name is a link. FAILED_PRECONDITION if that is not
// in the directory or below.
absl::StatusOr<fs::path> Resolve(const fs::path& directory,
                                 const fs::path& file) {
  std::error_code error;
  const fs::path root = fs::canonical(directory, error);
  if (error) return SystemError(error);
  fs::path resolved = fs::canonical(root / file, error);
  if (error) return SystemError(error);
  const auto difference =
      std::mismatch(root.begin(), root.end(), resolved.begin(), resolved.end());
  if (difference.first != root.end()) {
    return absl::FailedPreconditionError(
        absl::StrCat("it is a link that leads out of the directory, to ",
                     Quoted(resolved.native())));
  }
  return resolved;
}

// 64-bit FNV-1a (Fowler, Noll, Vo): the same in every process.
std::string Version(const MappedFile::Identity& file,
                    const NamedTensor& tensor) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) {
      hash = (hash ^ (value >> shift & 0xff)) * 0x100000001b3;
    }
  };
  add(file.bytes);
  add(file.inode);
  add(static_cast<std::uint64_t>(file.modified_seconds));
  add(static_cast<std::uint64_t>(file.modified_nanoseconds));
  add(tensor.offset);
  add(static_cast<std::uint64_t>(*tensor.dtype));
  for (const std::uint64_t extent : tensor.shape) add(extent);
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad16));
}

bool IsTable(const NamedTensor& tensor) {
  return tensor.dtype && IsFloat(*tensor.dtype) && tensor.shape.size() == 2 &&
         tensor.shape[0] > 0 && tensor.shape[1] > 0 &&
         tensor.shape[1] <= kMaxDModel;
}

std::string WhyNoTable(const NamedTensor& tensor) {
  return absl::StrCat(
      "is ", Quoted(tensor.dtype_in_file), " ", ToString(tensor.shape),
      ", but an embedding table is a matrix of FLOAT32, "
      "FLOAT16, BFLOAT16 or FLOAT64 with at least 1 row and 1 to ",
      kMaxDModel, " columns");
}

// A table whose bytes are in the file, as the parser has checked.
absl::StatusOr<std::shared_ptr<const EmbeddingTable>> MakeTable(
    std::string name, const std::shared_ptr<const MappedFile>& file,
    const NamedTensor& tensor, Device& device) {
  if (!IsTableName(name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a table can't be named ", Quoted(name), ", of ",
                     name.size(), " bytes: a name is UTF-8 of at most ",
                     kMaxNameBytes, " bytes without control characters"));
  }
  auto table = std::make_shared<EmbeddingTable>();
  table->name = std::move(name);
  table->version = Version(file->identity(), tensor);
  table->host = {.dtype = *tensor.dtype,
                 .rows = tensor.shape[0],
                 .width = tensor.shape[1],
                 .data = file->bytes().data() + tensor.offset,
                 .owner = file};
  table->file = file;
  auto on_device = device.Hold(table->host);
  if (!on_device.ok()) {
    return Annotate(on_device.status(),
                    absl::StrCat("table ", Quoted(table->name)));
  }
  table->on_device = *std::move(on_device);
  return table;
}

}  // namespace

absl::Status EmbeddingTable::CheckUnchanged() const {
  if (file == nullptr || file->Unchanged()) return absl::OkStatus();
  return Error(absl::StatusCode::kNotFound, "TABLE_CHANGED",
               absl::StrCat("the file of embedding table ", Quoted(name),
                            " was changed since it was loaded; the server "
                            "must be restarted to read it anew"));
}

absl::StatusOr<std::unique_ptr<EmbeddingStore>> EmbeddingStore::Open(
    const std::string& directory, Device& device) {
  const std::string where =
      absl::StrCat("directory of embedding tables ", Quoted(directory));
  const auto files = TableFiles(directory);
  if (!files.ok()) return Annotate(files.status(), where);
  auto store = std::make_unique<EmbeddingStore>();
  for (const std::string& file : *files) {
    const absl::Status status = store->AddFile(directory, file, device);
    if (!status.ok()) {
      return Annotate(status, absl::StrCat(where, ": file ", Quoted(file)));
    }
  }
  return store;
}

absl::Status EmbeddingStore::AddFile(const std::string& directory,
                                     const std::string& file_name,
                                     Device& device) {
  const auto path = Resolve(directory, file_name);
  if (!path.ok()) return path.status();
  const auto file = MappedFile::Open(*path);
  if (!file.ok()) return file.status();
  const TableFormat& format = *FindTableFormat(file_name);
  const auto tensors = format.parse((*file)->bytes());
  if (!tensors.ok()) return tensors.status();
  const std::string stem =
      file_name.substr(0, file_name.size() - format.extension.size());
  for (const NamedTensor& tensor : *tensors) {
    std::string name =
        tensor.name ? absl::StrCat(stem, "/", *tensor.name) : stem;
    if (!IsTable(tensor)) {
      left_out_.emplace(std::move(name), WhyNoTable(tensor));
      continue;
    }
    auto table = MakeTable(std::move(name), *file, tensor, device);
    if (!table.ok()) return table.status();
    if (!tables_.emplace((*table)->name, *table).second) {
      return absl::AlreadyExistsError(absl::StrCat(
          "another file has a table named ", Quoted((*table)->name), " too"));
    }
  }
  if (!(*file)->Unchanged()) {
    return absl::AbortedError("it was changed while it was read");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const EmbeddingTable>> EmbeddingStore::Find(
    absl::string_view name) const {
  const auto left_out = left_out_.find(name);
  if (left_out != left_out_.end()) {
    return Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND",
                 absl::StrCat(Quoted(name), " ", left_out->second));
  }
  if (tables_.empty()) {
    return Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND",
                 "the server holds no embedding tables; start it with "
                 "--tables DIR");
  }
  if (name.empty() && tables_.size() > 1) {
    return Error(absl::StatusCode::kInvalidArgument, "TABLE_NAME_MISSING",
                 absl::StrCat("no embedding table is named and there are ",
                              tables_.size(), ": ", KnownNames()));
  }
  const auto found = name.empty() ? tables_.begin() : tables_.find(name);
  if (found == tables_.end()) {
    return Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND",
                 absl::StrCat("no embedding table named ", Quoted(name),
                              "; there are: ", KnownNames()));
  }
  const absl::Status unchanged = found->second->CheckUnchanged();
  if (!unchanged.ok()) return unchanged;
  return found->second;
}

std::vector<std::shared_ptr<const EmbeddingTable>> EmbeddingStore::List()
    const {
  std::vector<std::shared_ptr<const EmbeddingTable>> tables;
  tables.reserve(tables_.size());
  for (const auto& [name, table] : tables_) tables.push_back(table);
  return tables;
}

std::string EmbeddingStore::KnownNames() const {
  std::string names;
  std::size_t listed = 0;
  for (const auto& [name, table] : tables_) {
    if (listed == kMaxListedNames || names.size() > kMaxListedBytes) {
      absl::StrAppend(&names, ", … (", tables_.size(), " in all)");
      break;
    }
    absl::StrAppend(&names, listed == 0 ? "" : ", ", Quoted(name));
    ++listed;
  }
  return names;
}

}  // namespace posenc::server
