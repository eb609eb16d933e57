#ifndef POSENC_TESTS_INTEGRATION_SERVED_TEST_H_
#define POSENC_TESTS_INTEGRATION_SERVED_TEST_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "posenc/client.h"
#include "posenc/error.h"
#include "tests/support/server_process.h"

namespace posenc::testing {

// The values of a float32 result.
inline std::vector<float> Floats(const EncodeResult& result) {
  const auto values = result.output.values<float>();
  return {values.begin(), values.end()};
}

// A test with a server and a client of its own.
class ServedTest : public ::testing::Test {
 protected:
  void Serve(const std::vector<std::string>& flags = {}) {
    server_ = std::make_unique<ServerProcess>(flags);
    client_ = Connect();
  }

  std::unique_ptr<Client> Connect(ClientOptions options = {}) {
    return Connect(std::move(options), server_->address());
  }
  std::unique_ptr<Client> Connect(ClientOptions options,
                                  const std::string& address) {
    options.address = address;
    auto client = Client::Connect(options);
    EXPECT_TRUE(client.ok()) << client.status();
    return client.ok() ? std::make_unique<Client>(*std::move(client)) : nullptr;
  }

  // The status has that code and reason, and a message with that in it; the
  // next good request works.
  void ExpectError(const absl::Status& status, absl::StatusCode code,
                   const std::string& reason, const std::string& message) {
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_EQ(ErrorReason(status), reason) << status;
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(message));
    ExpectGood();
  }

  // A good request gets its answer.
  void ExpectGood() {
    const std::vector<float> x = {1, 2};
    const auto result =
        client_->Encode(TensorView(std::span<const float>(x), {1, 1, 2}));
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(Floats(*result), (std::vector<float>{1, 3}));
  }

  std::unique_ptr<ServerProcess> server_;
  std::unique_ptr<Client> client_;
};

}  // namespace posenc::testing

#endif  // POSENC_TESTS_INTEGRATION_SERVED_TEST_H_
