#ifndef POSENC_TESTS_SUPPORT_TABLE_FILES_H_
#define POSENC_TESTS_SUPPORT_TABLE_FILES_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace posenc::testing {

// The number as `bytes` little-endian bytes.
inline std::string LittleEndian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) {
    text += static_cast<char>(value & 0xff);
  }
  return text;
}

// A .safetensors file of that header and data, right or wrong.
inline std::string SafetensorsFile(std::string_view header,
                                   std::string_view data) {
  return LittleEndian(header.size(), 8) + std::string(header) +
         std::string(data);
}

// A .npy file of version `major`.0 with that dict and data, right or wrong.
inline std::string NpyFile(std::string_view dict, std::string_view data,
                           int major = 1) {
  return std::string("\x93NUMPY") + static_cast<char>(major) + '\0' +
         LittleEndian(dict.size(), major == 1 ? 2 : 4) + std::string(dict) +
         std::string(data);
}

// Makes the file, or rewrites it in place. Returns its path.
inline std::string WriteFile(const std::string& path,
                             std::string_view content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) ADD_FAILURE() << "can't write " << path;
  return path;
}

}  // namespace posenc::testing

#endif  // POSENC_TESTS_SUPPORT_TABLE_FILES_H_
