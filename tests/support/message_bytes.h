#ifndef POSENC_TESTS_SUPPORT_MESSAGE_BYTES_H_
#define POSENC_TESTS_SUPPORT_MESSAGE_BYTES_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace posenc::testing {

// A message in one piece.
inline std::string BytesOf(const grpc::ByteBuffer& message) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(message.Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

}  // namespace posenc::testing

#endif  // POSENC_TESTS_SUPPORT_MESSAGE_BYTES_H_
