#ifndef POSENC_TESTS_UNIT_CLIENT_CONNECTED_TEST_H_
#define POSENC_TESTS_UNIT_CLIENT_CONNECTED_TEST_H_

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "posenc/client.h"
#include "posenc/v1/error.pb.h"
#include "posenc/v1/positional_encoding.pb.h"
#include "tests/unit/client/fake_server.h"

namespace posenc {

// A client of a fake server.
class ConnectedTest : public ::testing::Test {
 protected:
  ~ConnectedTest() override { end_.Open(); }

  Client Connect(std::uint64_t max_message_bytes = 64 << 20) {
    ClientOptions options;
    options.address = server_.address();
    options.connect_timeout = kPatience;
    options.max_message_bytes = max_message_bytes;
    absl::StatusOr<Client> client = Client::Connect(options);
    // Nothing below can run without one.
    if (!client.ok()) throw std::runtime_error(client.status().ToString());
    return *std::move(client);
  }

  // Waits until the test is over.
  auto WaitForEnd() const {
    return [end = end_](auto...) {
      EXPECT_TRUE(end.Wait());
      return grpc::Status::OK;
    };
  }

  Gate end_;
  FakeServer server_;
};

// [1, 1, size], each value `value`.
inline SharedTensor Filled(std::size_t size, float value) {
  return SharedTensor::FromVector(std::vector<float>(size, value),
                                  {1, 1, size});
}

// Answers a request with its own embeddings.
inline void Echo(const v1::EncodeRequest& request,
                 v1::EncodeResponse& response) {
  *response.mutable_encoding() = request.encoding();
  response.set_embedding_scale(1);
  *response.mutable_output() = request.embeddings();
}

// google.rpc.Status with an ErrorInfo.
inline v1::Status ErrorWithReason(int code, const std::string& message,
                                  const std::string& reason) {
  v1::ErrorInfo info;
  info.set_reason(reason);
  info.set_domain("posenc");
  v1::Status status;
  status.set_code(code);
  status.set_message(message);
  google::protobuf::Any& detail = *status.add_details();
  detail.set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
  detail.set_value(info.SerializeAsString());
  return status;
}

// Lets an owner be seen to go.
struct Owned {
  SharedTensor tensor;
  Gate released;

  explicit Owned(SharedTensor inner) : tensor(inner) {
    tensor.owner = std::shared_ptr<const void>(
        inner.data.data(),
        [keep = inner.owner, gate = released](const void*) mutable {
          keep.reset();
          gate.Open();
        });
  }
};

}  // namespace posenc

#endif  // POSENC_TESTS_UNIT_CLIENT_CONNECTED_TEST_H_
