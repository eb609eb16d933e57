#ifndef POSENC_TESTS_SUPPORT_TEMPORARY_DIRECTORY_H_
#define POSENC_TESTS_SUPPORT_TEMPORARY_DIRECTORY_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace posenc::testing {

// A directory of its own, removed with all that is in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string path() const { return path_.string(); }
  std::string File(const std::string& name) const {
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

// Writes a .npy file: descr as numpy says it ("<f4"), and the elements' bytes.
void WriteNpy(const std::string& path, const std::string& descr,
              const std::vector<std::uint64_t>& shape, const void* data,
              std::size_t bytes);

// Writes a .npy file of FLOAT32.
void WriteNpy(const std::string& path, const std::vector<std::uint64_t>& shape,
              const std::vector<float>& values);

std::string ReadFile(const std::string& path);

}  // namespace posenc::testing

#endif  // POSENC_TESTS_SUPPORT_TEMPORARY_DIRECTORY_H_
