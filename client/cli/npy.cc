#include "client/cli/npy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/exit_code.h"
#include "client/cli/npy_header.h"

namespace posenc::cli {
namespace {

constexpr std::size_t kMagicBytes = 8;  // with the version
// NumPy itself refuses headers of over 10 000 bytes.
constexpr std::size_t kMaxHeaderBytes = 1 << 16;

absl::Status FileError(const std::string& path, absl::string_view what) {
  return LocalError(absl::StrCat("'", path, "': ", what));
}

// A file that is open for reading, and its length.
class InputFile {
 public:
  static absl::StatusOr<InputFile> Open(const std::string& path) {
    // Opening a pipe that nobody writes to must not wait.
    const int descriptor =
        open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return FileError(path, std::strerror(errno));
    InputFile file(path, descriptor);
    struct stat info = {};
    if (fstat(descriptor, &info) != 0) {
      return FileError(path, std::strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) return FileError(path, "is not a plain file");
    file.size_ = static_cast<std::uint64_t>(info.st_size);
    return file;
  }
  InputFile(InputFile&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        size_(other.size_),
        position_(other.position_) {}
  ~InputFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  const std::string& path() const { return path_; }
  std::uint64_t left() const { return size_ - position_; }

  absl::Status Read(std::span<std::byte> target) {
    while (!target.empty()) {
      const ssize_t count = read(descriptor_, target.data(), target.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return FileError(path_, std::strerror(errno));
      if (count == 0) return FileError(path_, "became shorter while read");
      target = target.subspan(static_cast<std::size_t>(count));
      position_ += static_cast<std::uint64_t>(count);
    }
    return absl::OkStatus();
  }

 private:
  InputFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

absl::StatusOr<std::string> ReadText(InputFile& file, std::size_t bytes) {
  if (file.left() < bytes) {
    return FileError(file.path(), "ends within its header");
  }
  std::string text(bytes, '\0');
  if (absl::Status status =
          file.Read(std::as_writable_bytes(std::span(text.data(), bytes)));
      !status.ok()) {
    return status;
  }
  return text;
}

absl::StatusOr<std::size_t> ReadHeaderLength(InputFile& file) {
  const absl::StatusOr<std::string> magic = ReadText(file, kMagicBytes);
  if (!magic.ok()) return magic.status();
  if (magic->substr(0, 6) != "\x93NUMPY") {
    return FileError(file.path(), "is not a .npy file");
  }
  const int major = static_cast<unsigned char>((*magic)[6]);
  const int minor = static_cast<unsigned char>((*magic)[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return FileError(file.path(),
                     absl::StrCat("is of .npy version ", major, ".", minor,
                                  "; 1.0, 2.0 and 3.0 are read"));
  }
  const absl::StatusOr<std::string> field = ReadText(file, major == 1 ? 2 : 4);
  if (!field.ok()) return field.status();
  std::size_t length = 0;
  for (std::size_t i = field->size(); i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>((*field)[i]);
  }
  if (length > kMaxHeaderBytes) {
    return FileError(file.path(), absl::StrCat("claims a header of ", length,
                                               " bytes; at most ",
                                               kMaxHeaderBytes, " are read"));
  }
  return length;
}

absl::StatusOr<NpyHeader> ReadHeader(InputFile& file) {
  const absl::StatusOr<std::size_t> length = ReadHeaderLength(file);
  if (!length.ok()) return length.status();
  const absl::StatusOr<std::string> text = ReadText(file, *length);
  if (!text.ok()) return text.status();
  absl::StatusOr<NpyHeader> header = ParseNpyHeader(*text);
  if (!header.ok()) return FileError(file.path(), header.status().message());
  if (header->fortran_order) {
    return FileError(file.path(), "is in Fortran order; save it in C order");
  }
  return header;
}

absl::StatusOr<posenc::DType> DTypeFor(const InputFile& file,
                                       const std::string& descr,
                                       UInt16As uint16_as) {
  if (descr == "<f4") return posenc::DType::kFloat32;
  if (descr == "<f2") return posenc::DType::kFloat16;
  if (descr == "<f8") return posenc::DType::kFloat64;
  if (descr == "<i4") return posenc::DType::kInt32;
  if (descr == "<i8") return posenc::DType::kInt64;
  if (descr == "<u2" || descr == "<V2" || descr == "|V2") {
    if (uint16_as == UInt16As::kBFloat16) return posenc::DType::kBFloat16;
    return FileError(file.path(),
                     absl::StrCat("is of type ", descr,
                                  "; as embeddings, --input-dtype bfloat16 "
                                  "reads it as bfloat16"));
  }
  if (!descr.empty() && descr.front() == '>') {
    return FileError(file.path(), absl::StrCat("is big-endian (", descr,
                                               "); save it little-endian"));
  }
  return FileError(file.path(), absl::StrCat("is of type '", descr,
                                             "'; f2, f4, f8, i4, i8 are read"));
}

const char* DescrFor(posenc::DType dtype) {
  switch (dtype) {
    case posenc::DType::kFloat32:
      return "<f4";
    case posenc::DType::kFloat16:
      return "<f2";
    case posenc::DType::kBFloat16:
      return "<u2";
    case posenc::DType::kFloat64:
      return "<f8";
    case posenc::DType::kInt32:
      return "<i4";
    case posenc::DType::kInt64:
      return "<i8";
  }
  return "|V1";
}

// nullopt when the product needs more than 64 bits. A zero extent makes it
// zero whatever the others are.
std::optional<std::uint64_t> ByteCount(const posenc::Shape& shape,
                                       posenc::DType dtype) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::uint64_t bytes = posenc::SizeOf(dtype);
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

}  // namespace

absl::StatusOr<posenc::SharedTensor> ReadNpy(const std::string& path,
                                             UInt16As uint16_as) {
  absl::StatusOr<InputFile> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<NpyHeader> header = ReadHeader(*file);
  if (!header.ok()) return header.status();
  const absl::StatusOr<posenc::DType> dtype =
      DTypeFor(*file, header->descr, uint16_as);
  if (!dtype.ok()) return dtype.status();
  const std::optional<std::uint64_t> bytes = ByteCount(header->shape, *dtype);
  if (bytes != file->left()) {
    return FileError(
        path,
        absl::StrCat("its header says [", absl::StrJoin(header->shape, ","),
                     "] of ", posenc::Name(*dtype), ", ",
                     bytes ? absl::StrCat(*bytes) : "over 2^64", " bytes, but ",
                     file->left(), " follow it"));
  }
  auto data = std::make_shared<std::vector<std::byte>>(file->left());
  if (absl::Status status = file->Read(*data); !status.ok()) return status;
  const std::span<const std::byte> view(*data);
  return posenc::SharedTensor{*dtype, std::move(header->shape), std::move(data),
                              view};
}

absl::Status WriteNpy(const std::string& path, const posenc::TensorView& view) {
  const std::string prefix =
      NpyPrefix({DescrFor(view.dtype), false, view.shape});
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return FileError(path, std::strerror(errno));
  const bool written =
      std::fwrite(prefix.data(), 1, prefix.size(), file) == prefix.size() &&
      std::fwrite(view.data.data(), 1, view.data.size(), file) ==
          view.data.size();
  const int write_error = errno;
  if (std::fclose(file) != 0 && written) {
    return FileError(path, std::strerror(errno));
  }
  if (!written) return FileError(path, std::strerror(write_error));
  return absl::OkStatus();
}

}  // namespace posenc::cli
