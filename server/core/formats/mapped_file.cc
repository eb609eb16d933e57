#include "server/core/formats/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"

namespace posenc::server {
namespace {

MappedFile::Identity IdentityOf(const struct stat& status) {
  return {.bytes = static_cast<std::uint64_t>(status.st_size),
          .inode = status.st_ino,
          .modified_seconds = status.st_mtim.tv_sec,
          .modified_nanoseconds = status.st_mtim.tv_nsec};
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(
    const std::string& path) {
  // O_NONBLOCK: a pipe without a writer would hold us up.
  const int descriptor =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, "can't open it");
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) {
    const int error = errno;
    close(descriptor);
    return absl::ErrnoToStatus(error, "can't read its size");
  }
  const std::shared_ptr<MappedFile> file(new MappedFile(descriptor, status));
  if (!S_ISREG(status.st_mode)) {
    return absl::FailedPreconditionError("it is not a regular file");
  }
  const absl::Status mapped = file->Map();
  if (!mapped.ok()) return mapped;
  return file;
}

MappedFile::MappedFile(int descriptor, const struct stat& status)
    : descriptor_(descriptor), identity_(IdentityOf(status)) {}

absl::Status MappedFile::Map() {
  const std::size_t bytes = identity_.bytes;
  if (bytes == 0) return absl::OkStatus();
  void* const data =
      mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (data == MAP_FAILED) return absl::ErrnoToStatus(errno, "can't map it");
  bytes_ = {static_cast<const std::byte*>(data), bytes};
  auto guard = SigbusGuard::Create(bytes_.data(), bytes);
  if (!guard.ok()) return guard.status();
  guard_.emplace(*std::move(guard));
  return absl::OkStatus();
}

MappedFile::~MappedFile() {
  guard_.reset();
  if (!bytes_.empty()) {
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  close(descriptor_);
}

bool MappedFile::Unchanged() const {
  if (guard_ && guard_->damaged()) return false;
  struct stat status = {};
  return fstat(descriptor_, &status) == 0 && IdentityOf(status) == identity_;
}

}  // namespace posenc::server
