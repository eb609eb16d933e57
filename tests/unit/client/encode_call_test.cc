// Encode over a real connection.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "posenc/error.h"
#include "tests/unit/client/connected_test.h"

namespace posenc {
namespace {

using testing::_;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::chrono::milliseconds kShortTime(50);

grpc::Status EchoOne(grpc::ServerContext*, const v1::EncodeRequest* request,
                     v1::EncodeResponse* response) {
  Echo(*request, *response);
  return grpc::Status::OK;
}

class EncodeCallTest : public ConnectedTest {
 protected:
  EncodeCallTest() { ON_CALL(server_.encoding, Encode).WillByDefault(EchoOne); }

  void ExpectWorks(Client& client) {
    const auto result = client.Encode(Filled(4, 2.5));
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_THAT(result->output.values<float>(), AllOf(SizeIs(4), Each(2.5f)));
  }
};

TEST_F(EncodeCallTest, ViewAndSharedTensorGiveTheSame) {
  Client client = Connect();
  const std::vector<float> values = {1, -2, 3, -4};
  const Shape shape = {1, 2, 2};
  EncodeOptions options;
  options.encoding.profile = "pytorch";
  const auto view =
      client.Encode(TensorView(std::span(values), shape), options);
  const auto shared =
      client.Encode(SharedTensor::FromVector(values, shape), options);
  for (const auto* result : {&view, &shared}) {
    ASSERT_TRUE(result->ok()) << result->status();
    EXPECT_EQ((*result)->encoding.profile, "pytorch");
    EXPECT_EQ((*result)->dtype, DType::kFloat32);
    EXPECT_EQ((*result)->shape, shape);
    EXPECT_THAT((*result)->output.values<float>(), ElementsAre(1, -2, 3, -4));
  }
}

TEST_F(EncodeCallTest, EightMebibytesArriveWhole) {
  Client client = Connect();
  std::vector<float> values(2 << 20);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i);
  }
  const TensorView view(std::span<const float>(values), {1, 1, values.size()});
  std::vector<float> output(values.size());
  const auto result =
      client.EncodeInto(std::as_writable_bytes(std::span(output)), view);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(output, values);
}

TEST_F(EncodeCallTest, ErrorKeepsCodeMessageAndReason) {
  Client client = Connect();
  const v1::Status error = ErrorWithReason(
      3, "embeddings are [1,1,4] but d_model is 8", "D_MODEL_MISMATCH");
  EXPECT_CALL(server_.encoding, Encode)
      .WillOnce([&](auto, auto, auto) {
        return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, error.message(),
                            error.SerializeAsString());
      })
      .WillRepeatedly(testing::DoDefault());
  const auto result = client.Encode(Filled(4, 1));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(result.status().message(), error.message());
  EXPECT_EQ(ErrorReason(result.status()), "D_MODEL_MISMATCH");
  ExpectWorks(client);
}

// The deadline may pass before the server has seen the call.
TEST_F(EncodeCallTest, DeadlineOfTheCall) {
  Client client = Connect();
  ON_CALL(server_.encoding, Encode).WillByDefault(WaitForEnd());
  const auto result = client.Encode(Filled(4, 1), {}, {.timeout = kShortTime});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kDeadlineExceeded);
  ON_CALL(server_.encoding, Encode).WillByDefault(EchoOne);
  ExpectWorks(client);
}

TEST_F(EncodeCallTest, DeadlineOfTheClient) {
  ON_CALL(server_.encoding, Encode).WillByDefault(WaitForEnd());
  ClientOptions options;
  options.address = server_.address();
  options.timeout = kShortTime;
  auto client = Client::Connect(options);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ(client->Encode(Filled(4, 1)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST_F(EncodeCallTest, TimeoutWithoutEndIsNone) {
  Client client = Connect();
  const auto result = client.Encode(
      Filled(4, 1), {}, {.timeout = std::chrono::milliseconds::max()});
  EXPECT_TRUE(result.ok()) << result.status();
}

TEST_F(EncodeCallTest, CancelledWhileTheServerWorks) {
  Client client = Connect();
  Gate started;
  EXPECT_CALL(server_.encoding, Encode)
      .WillOnce([started, wait = WaitForEnd()](auto, auto, auto) mutable {
        started.Open();
        return wait();
      })
      .WillRepeatedly(EchoOne);
  const auto caller = std::this_thread::get_id();
  const auto result =
      client.Encode(Filled(4, 1), {}, {.cancelled = [&] {
                      EXPECT_EQ(std::this_thread::get_id(), caller);
                      return started.IsOpen();
                    }});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(result.status().message(), "the caller cancelled the call");
  ExpectWorks(client);
}

TEST_F(EncodeCallTest, CancelledBeforeItStartsSendsNothing) {
  Client client = Connect();
  EXPECT_CALL(server_.encoding, Encode).Times(0);
  const auto result =
      client.Encode(Filled(4, 1), {}, {.cancelled = [] { return true; }});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kCancelled);
}

TEST_F(EncodeCallTest, RequestOverTheClientsLimitIsNotSent) {
  Client client = Connect(/*max_message_bytes=*/1000);
  EXPECT_CALL(server_.encoding, Encode)
      .WillOnce(testing::DoDefault());  // the good one below
  const auto result = client.Encode(Filled(250, 1));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(result.status().message()),
              AllOf(HasSubstr("the request has 10"), HasSubstr("may have 1000"),
                    HasSubstr("ClientOptions::max_message_bytes"),
                    HasSubstr("--max-message-bytes")));
  ExpectWorks(client);
}

TEST_F(EncodeCallTest, ResponseOverTheClientsLimitNamesTheKnob) {
  Client client = Connect(/*max_message_bytes=*/1000);
  EXPECT_CALL(server_.encoding, Encode)
      .WillOnce([](auto, auto, v1::EncodeResponse* response) {
        response->mutable_output()->set_data(std::string(1000, 'x'));
        return grpc::Status::OK;
      })
      .WillRepeatedly(testing::DoDefault());
  const auto result = client.Encode(Filled(4, 1));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(result.status().message()),
              AllOf(HasSubstr("the response has 1006 bytes"), HasSubstr("1000"),
                    HasSubstr("raise ClientOptions::max_message_bytes")));
  ExpectWorks(client);
}

TEST_F(EncodeCallTest, LyingResponseIsInternal) {
  Client client = Connect();
  EXPECT_CALL(server_.encoding, Encode)
      .WillOnce([](auto, const v1::EncodeRequest* request,
                   v1::EncodeResponse* response) {
        Echo(*request, *response);
        response->mutable_output()->set_shape(2, 5);
        return grpc::Status::OK;
      })
      .WillRepeatedly(testing::DoDefault());
  const auto result = client.Encode(Filled(4, 1));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("says FLOAT32 [1,1,5] but holds 16 bytes"));
  ExpectWorks(client);
}

TEST_F(EncodeCallTest, ServerThatGoesAwayIsUnavailable) {
  Client client = Connect();
  ExpectWorks(client);
  server_.Stop();
  EXPECT_EQ(client.Encode(Filled(4, 1)).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(EncodeCallTest, OwnerIsReleasedAfterTheCall) {
  Client client = Connect();
  Owned owned(Filled(1 << 18, 3));
  const auto released = owned.released;
  const auto result = client.Encode(std::move(owned.tensor));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->output.values<float>(), Each(3.0f));
  EXPECT_TRUE(released.Wait());
}

TEST_F(EncodeCallTest, ManyThreadsShareAClient) {
  constexpr int kThreads = 8;
  constexpr int kCalls = 40;
  Client client = Connect();
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Client copy = client;
      for (int i = 0; i < kCalls; ++i) {
        const auto value = static_cast<float>(t * kCalls + i);
        const auto size = static_cast<std::size_t>(1 + 100 * i);
        const auto result = copy.Encode(Filled(size, value));
        if (!result.ok()) continue;
        const auto values = result->output.values<float>();
        right += values.size() == size && values.front() == value &&
                 values.back() == value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kThreads * kCalls);
}

TEST(EncodeCall, RequestOverTheServersLimitNamesTheKnob) {
  FakeServer server(/*max_message_bytes=*/1000);
  ClientOptions options;
  options.address = server.address();
  auto client = Client::Connect(options);
  ASSERT_TRUE(client.ok()) << client.status();
  const auto result = client->Encode(Filled(1000, 1));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(result.status().message()),
              AllOf(HasSubstr("the request has 40"), HasSubstr("takes 1000"),
                    HasSubstr("raise the server's --max-message-bytes")));
}

}  // namespace
}  // namespace posenc
