#ifndef POSENC_SERVER_CORE_EMBEDDING_STORE_H_
#define POSENC_SERVER_CORE_EMBEDDING_STORE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/base/tensor.h"
#include "server/core/formats/mapped_file.h"
#include "server/devices/device.h"

namespace posenc::server {

// A matrix of FLOAT32, FLOAT16, BFLOAT16 or FLOAT64, at any alignment, and the
// device's hold on it. Immutable; a holder of the pointer pins it.
struct EmbeddingTable {
  std::string name;
  // 16 hexadecimal digits that identify the content by where it came from: the
  // file's size, modification time and inode, and the tensor's offset, dtype
  // and shape. A restart with the same files gives the same version; a copy of
  // a file, another one.
  std::string version;
  HostTable host;
  std::unique_ptr<DeviceTable> on_device;
  // What `host` shows; null for a table that no file stands behind.
  std::shared_ptr<const MappedFile> file;

  // NOT_FOUND if the file was changed in place since it was loaded. To be asked
  // after reading from the table: what was read before an OK is the table's. A
  // file that was removed or replaced is unchanged.
  absl::Status CheckUnchanged() const;
};

// The embedding tables of a directory: its .npy files, by the name FILE, and
// the tensors of its .safetensors files, by the name FILE/TENSOR, where FILE is
// the file's name without its ending. What is no matrix of FLOAT32, FLOAT16 or
// BFLOAT16 with at least one row and 1 to kMaxDModel columns is left out.
//
// Thread-safe.
class EmbeddingStore {
 public:
  // Holds no tables.
  EmbeddingStore() = default;

  // Maps the files, and has `device`, which must outlive the store and all
  // tables, hold the tables. Files that are hidden (".x.npy") or of another
  // ending are passed over. An error that names the file if one is no regular
  // file, a link that leads out of the directory, or malformed, or if the name
  // of a table is not as IsTableName wants it; RESOURCE_EXHAUSTED for more than
  // kMaxTableFiles files.
  static absl::StatusOr<std::unique_ptr<EmbeddingStore>> Open(
      const std::string& directory, Device& device);

  // The table of that name; the only one if the name is empty. NOT_FOUND if
  // there is none or its file was changed since, INVALID_ARGUMENT if the name
  // is empty and there are several.
  absl::StatusOr<std::shared_ptr<const EmbeddingTable>> Find(
      absl::string_view name) const;

  // All tables, by name.
  std::vector<std::shared_ptr<const EmbeddingTable>> List() const;

 private:
  absl::Status AddFile(const std::string& directory,
                       const std::string& file_name, Device& device);
  // "'a', 'b'": the first few, and how many there are in all.
  std::string KnownNames() const;

  std::map<std::string, std::shared_ptr<const EmbeddingTable>, std::less<>>
      tables_;
  // Tensors that are no tables, by the name they would have. The reason lacks
  // its subject: "is 'I64' [1,512], but …".
  std::map<std::string, std::string, std::less<>> left_out_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_EMBEDDING_STORE_H_
