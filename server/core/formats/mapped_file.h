#ifndef POSENC_SERVER_CORE_FORMATS_MAPPED_FILE_H_
#define POSENC_SERVER_CORE_FORMATS_MAPPED_FILE_H_

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "server/core/formats/sigbus_guard.h"

namespace posenc::server {

// A regular file, mapped for reading. It may be removed, or another one be
// moved to its name: the mapping keeps showing the file that was opened. It may
// also be changed or cut short in place: reading never ends the process, but
// what was read is the file's only if Unchanged() is true afterwards.
//
// Thread-safe.
class MappedFile {
 public:
  // Who the file is, and when it was last written.
  struct Identity {
    std::uint64_t bytes = 0;
    std::uint64_t inode = 0;
    std::int64_t modified_seconds = 0;  // since 1970
    std::int64_t modified_nanoseconds = 0;

    bool operator==(const Identity&) const = default;
  };

  // The error of the system if the file can't be opened or mapped,
  // FAILED_PRECONDITION if it is not a regular file, RESOURCE_EXHAUSTED if
  // kMaxTableFiles files are mapped. A link as the path's last part is not
  // followed.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Open(
      const std::string& path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // The whole file, from a page's start; empty for an empty file.
  std::span<const std::byte> bytes() const { return bytes_; }

  // As it was when the file was opened.
  const Identity& identity() const { return identity_; }

  // Whether size and modification time are what they were, and nothing that was
  // read was missing. A change within the file system's time step (some
  // milliseconds) after another, or whose author then sets the time back, and
  // that keeps the size, is not seen.
  bool Unchanged() const;

 private:
  // Takes the file descriptor over.
  MappedFile(int descriptor, const struct stat& status);
  absl::Status Map();

  const int descriptor_;
  const Identity identity_;
  std::span<const std::byte> bytes_;
  std::optional<SigbusGuard> guard_;  // none for an empty file
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_FORMATS_MAPPED_FILE_H_
