// Encode over a real connection.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
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
using testing::IsEmpty;
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

TEST_F(EncodeCallTest, SegmentsOutliveTheClient) {
  absl::StatusOr<EncodeResult> result;
  {
    Client client = Connect();
    result = client.EncodeSegmented(Filled(1 << 20, 1.5));
  }
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->output.bytes(), IsEmpty());
  EXPECT_THAT(result->segments.shape(), ElementsAre(1, 1, 1 << 20));
  std::vector<float> values(1 << 20);
  const absl::Status copied =
      result->segments.CopyTo(std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(copied.ok()) << copied;
  EXPECT_THAT(values, Each(1.5f));
}

// Each handler holds its call until as many have come as there are connections.
TEST_F(EncodeCallTest, CallsAtOnceHaveConnectionsOfTheirOwn) {
  constexpr std::size_t kConnections = 3;
  ClientOptions options;
  options.address = server_.address();
  options.max_connections = kConnections;
  auto client = Client::Connect(options);
  ASSERT_TRUE(client.ok()) << client.status();
  std::mutex mutex;
  std::set<std::string> peers;
  Gate all_here;
  EXPECT_CALL(server_.encoding, Encode)
      .WillRepeatedly([&](grpc::ServerContext* context, auto, auto) {
        {
          const std::lock_guard lock(mutex);
          peers.insert(context->peer());
          if (peers.size() == kConnections) all_here.Open();
        }
        EXPECT_TRUE(all_here.Wait());
        return grpc::Status(grpc::StatusCode::NOT_FOUND, "no");
      });
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2 * kConnections; ++t) {
    threads.emplace_back([&] {
      EXPECT_EQ(client->Encode(Filled(4, 1)).status().code(),
                absl::StatusCode::kNotFound);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(peers, SizeIs(kConnections));
}

TEST_F(EncodeCallTest, BytesInFlightAreBounded) {
  ClientOptions options;
  options.address = server_.address();
  options.max_bytes_in_flight = 1000;
  auto client = Client::Connect(options);
  ASSERT_TRUE(client.ok()) << client.status();
  Gate started;
  Gate go_on;
  EXPECT_CALL(server_.encoding, Encode)
      .WillOnce([=](auto...) mutable {
        started.Open();
        EXPECT_TRUE(go_on.Wait());
        return grpc::Status(grpc::StatusCode::NOT_FOUND, "no");
      })
      .WillRepeatedly(EchoOne);
  std::thread large([&] {
    EXPECT_EQ(client->Encode(Filled(500, 1)).status().code(),
              absl::StatusCode::kNotFound);
  });
  EXPECT_TRUE(started.Wait());
  const auto refused =
      client->Encode(Filled(4, 1), {}, {.timeout = kShortTime});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("raise ClientOptions::max_bytes_in_flight"));
  go_on.Open();
  large.join();
  ExpectWorks(*client);
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
