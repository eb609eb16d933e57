// EncodeStream over a real connection.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "posenc/error.h"
#include "tests/unit/client/connected_test.h"

namespace posenc {
namespace {

using testing::Each;

using ServerStream =
    grpc::ServerReaderWriter<v1::EncodeStreamResponse, v1::EncodeRequest>;

EncodeParams Request(SharedTensor tensor) {
  EncodeParams params;
  params.payload = std::move(tensor);
  return params;
}

// Echoes each request, and answers those for an embedding table with an error.
grpc::Status EchoAll(grpc::ServerContext*, ServerStream* stream) {
  v1::EncodeRequest request;
  while (stream->Read(&request)) {
    v1::EncodeStreamResponse response;
    if (request.embedding_table().empty()) {
      Echo(request, *response.mutable_response());
    } else {
      *response.mutable_error() =
          ErrorWithReason(5, "no table " + request.embedding_table(),
                          "EMBEDDING_TABLE_NOT_FOUND");
    }
    if (!stream->Write(response)) break;
  }
  return grpc::Status::OK;
}

class EncodeStreamTest : public ConnectedTest {
 protected:
  std::unique_ptr<EncodeStream> Open(const CallOptions& options = {}) {
    auto stream = client_.OpenEncodeStream(options);
    EXPECT_TRUE(stream.ok()) << stream.status();
    return stream.ok() ? *std::move(stream) : nullptr;
  }

  Client client_ = Connect();
};

TEST_F(EncodeStreamTest, ThousandMessagesInOrderWithErrorsInTheirPlaces) {
  constexpr int kMessages = 1000;
  const auto is_bad = [](int i) { return i % 100 == 7; };
  EXPECT_CALL(server_.encoding, EncodeStream).WillOnce(EchoAll);
  const auto stream = Open();
  ASSERT_NE(stream, nullptr);
  int sent = 0;
  std::thread sender([&] {
    for (int i = 0; i < kMessages; ++i) {
      EncodeParams params = Request(
          Filled(static_cast<std::size_t>(1 + i), static_cast<float>(i)));
      if (is_bad(i)) params.options.embedding_table = std::to_string(i);
      sent += stream->Send(params).ok();
    }
    EXPECT_TRUE(stream->FinishSending().ok());
  });
  int received = 0;
  while (const auto result = stream->Receive()) {
    SCOPED_TRACE(received);
    if (is_bad(received)) {
      EXPECT_EQ(result->status().code(), absl::StatusCode::kNotFound);
      EXPECT_EQ(result->status().message(),
                "no table " + std::to_string(received));
      EXPECT_EQ(ErrorReason(result->status()), "EMBEDDING_TABLE_NOT_FOUND");
    } else if (result->ok()) {
      const auto values = (*result)->output.values<float>();
      EXPECT_EQ(values.size(), static_cast<std::size_t>(received) + 1);
      EXPECT_THAT(values, Each(static_cast<float>(received)));
    } else {
      ADD_FAILURE() << result->status();
    }
    ++received;
  }
  sender.join();
  EXPECT_EQ(sent, kMessages);
  EXPECT_EQ(received, kMessages);
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(EncodeStreamTest, RequestRefusedBeforeSendingHasNoPlace) {
  EXPECT_CALL(server_.encoding, EncodeStream).WillOnce(EchoAll);
  const auto stream = Open();
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(stream->Send(Request(Filled(17 << 20, 1))).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(stream->Send(Request(Filled(1, 2))).ok());
  EXPECT_TRUE(stream->FinishSending().ok());
  const auto result = stream->Receive();
  ASSERT_TRUE(result.has_value() && result->ok());
  EXPECT_THAT((*result)->output.values<float>(), Each(2.0f));
  EXPECT_FALSE(stream->Receive().has_value());
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(EncodeStreamTest, CallsOutOfTurnAreRefused) {
  EXPECT_CALL(server_.encoding, EncodeStream).WillOnce(EchoAll);
  const auto stream = Open();
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(stream->Finish().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(stream->FinishSending().ok());
  EXPECT_TRUE(stream->FinishSending().ok());
  EXPECT_EQ(stream->Send(Request(Filled(1, 2))).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(stream->Receive().has_value());
  EXPECT_FALSE(stream->Receive().has_value());
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(EncodeStreamTest, LyingResponseIsInternalInItsPlace) {
  EXPECT_CALL(server_.encoding, EncodeStream)
      .WillOnce([](auto, ServerStream* stream) {
        v1::EncodeStreamResponse response;
        response.mutable_response()->mutable_output()->set_data("1");
        stream->Write(response);
        return EchoAll(nullptr, stream);
      });
  const auto stream = Open();
  ASSERT_NE(stream, nullptr);
  EXPECT_TRUE(stream->Send(Request(Filled(1, 2))).ok());
  EXPECT_TRUE(stream->FinishSending().ok());
  const auto lie = stream->Receive();
  ASSERT_TRUE(lie.has_value());
  EXPECT_EQ(lie->status().code(), absl::StatusCode::kInternal);
  const auto good = stream->Receive();
  ASSERT_TRUE(good.has_value());
  EXPECT_TRUE(good->ok()) << good->status();
}

TEST_F(EncodeStreamTest, StatusOfTheStreamAndSendAfterItHasBroken) {
  EXPECT_CALL(server_.encoding, EncodeStream)
      .WillOnce(testing::Return(
          grpc::Status(grpc::StatusCode::PERMISSION_DENIED, "not you")));
  const auto stream = Open();
  ASSERT_NE(stream, nullptr);
  EXPECT_FALSE(stream->Receive().has_value());
  EXPECT_EQ(stream->Finish().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(stream->Finish().message(), "not you");
  EXPECT_EQ(stream->Send(Request(Filled(1, 2))).code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(EncodeStreamTest, ResponseOverTheClientsLimitNamesTheKnob) {
  EXPECT_CALL(server_.encoding, EncodeStream)
      .WillOnce([](auto, ServerStream* stream) {
        v1::EncodeStreamResponse response;
        response.mutable_response()->mutable_output()->set_data(
            std::string(2000, 'x'));
        stream->Write(response);
        return grpc::Status::OK;
      });
  Client client = Connect(/*max_message_bytes=*/1000);
  const auto stream = client.OpenEncodeStream();
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_FALSE((*stream)->Receive().has_value());
  const absl::Status status = (*stream)->Finish();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("raise ClientOptions::max_message_bytes"));
}

// The server reads nothing, so that flow control stops the message on its way;
// the slice is gRPC's until the stream is gone, and the caller's no more after.
TEST_F(EncodeStreamTest, CancelledInSendAndOwnerReleased) {
  ON_CALL(server_.encoding, EncodeStream).WillByDefault(WaitForEnd());
  Owned owned(Filled(8 << 20, 1));
  const auto released = owned.released;
  std::atomic<bool> opened = false;
  int asked = 0;
  auto stream = Open({.cancelled = [&] { return opened && ++asked > 2; }});
  ASSERT_NE(stream, nullptr);
  opened = true;
  EXPECT_EQ(stream->Send(Request(std::move(owned.tensor))).code(),
            absl::StatusCode::kCancelled);
  EXPECT_FALSE(stream->Receive().has_value());
  EXPECT_EQ(stream->Finish().code(), absl::StatusCode::kCancelled);
  stream.reset();
  EXPECT_TRUE(released.Wait());
}

TEST_F(EncodeStreamTest, CancelledInReceive) {
  ON_CALL(server_.encoding, EncodeStream).WillByDefault(WaitForEnd());
  std::atomic<bool> opened = false;
  int asked = 0;
  const auto stream =
      Open({.cancelled = [&] { return opened && ++asked > 2; }});
  ASSERT_NE(stream, nullptr);
  opened = true;
  EXPECT_FALSE(stream->Receive().has_value());
  EXPECT_EQ(stream->Finish().code(), absl::StatusCode::kCancelled);
}

TEST_F(EncodeStreamTest, CancelledBeforeItStarts) {
  EXPECT_CALL(server_.encoding, EncodeStream).Times(0);
  EXPECT_EQ(client_.OpenEncodeStream({.cancelled = [] { return true; }})
                .status()
                .code(),
            absl::StatusCode::kCancelled);
}

// The deadline may pass before the server has seen the call, even before it is
// started.
TEST_F(EncodeStreamTest, Deadline) {
  ON_CALL(server_.encoding, EncodeStream).WillByDefault(WaitForEnd());
  const auto stream =
      client_.OpenEncodeStream({.timeout = std::chrono::milliseconds(100)});
  absl::Status status = stream.status();
  if (stream.ok()) {
    EXPECT_FALSE((*stream)->Receive().has_value());
    status = (*stream)->Finish();
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(EncodeStreamTest, DestroyingItCancelsTheCall) {
  Gate ended;
  EXPECT_CALL(server_.encoding, EncodeStream)
      .WillOnce(
          [ended](grpc::ServerContext* context, ServerStream* stream) mutable {
            const grpc::Status status = EchoAll(context, stream);
            ended.Open();
            return status;
          });
  auto stream = Open();
  ASSERT_NE(stream, nullptr);
  // One answer read, one on its way, and no FinishSending.
  EXPECT_TRUE(stream->Send(Request(Filled(1, 1))).ok());
  EXPECT_TRUE(stream->Send(Request(Filled(1, 2))).ok());
  EXPECT_TRUE(stream->Receive().has_value());
  stream.reset();
  EXPECT_TRUE(ended.Wait());
}

TEST_F(EncodeStreamTest, OutlivesItsClient) {
  EXPECT_CALL(server_.encoding, EncodeStream).WillOnce(EchoAll);
  std::unique_ptr<EncodeStream> stream;
  {
    Client client = Connect();
    auto opened = client.OpenEncodeStream();
    ASSERT_TRUE(opened.ok()) << opened.status();
    stream = *std::move(opened);
  }
  EXPECT_TRUE(stream->Send(Request(Filled(1, 1))).ok());
  const auto result = stream->Receive();
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->ok()) << result->status();
}

TEST_F(EncodeStreamTest, ServerGone) {
  server_.Stop();
  const auto stream = client_.OpenEncodeStream();
  // The client may not have seen the end yet; then the stream shows it.
  absl::Status status = stream.status();
  if (status.ok()) {
    EXPECT_FALSE((*stream)->Receive().has_value());
    status = (*stream)->Finish();
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace posenc
