#include "tests/support/temporary_directory.h"

#include <stdlib.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace posenc::testing {

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "posenc-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("cannot make a temporary directory");
  }
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void WriteNpy(const std::string& path, const std::string& descr,
              const std::vector<std::uint64_t>& shape, const void* data,
              std::size_t bytes) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (const std::uint64_t extent : shape) {
    header += std::to_string(extent) + ", ";
  }
  header += "), }";
  constexpr std::size_t kPreamble = 10;
  while ((kPreamble + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\0'
       << static_cast<char>(header.size() & 0xff)
       << static_cast<char>(header.size() >> 8) << header;
  file.write(static_cast<const char*>(data),
             static_cast<std::streamsize>(bytes));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

void WriteNpy(const std::string& path, const std::vector<std::uint64_t>& shape,
              const std::vector<float>& values) {
  WriteNpy(path, "<f4", shape, values.data(), values.size() * sizeof(float));
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace posenc::testing
