// grpc.health.v1.Health, as any gRPC client or load balancer asks it.

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <csignal>
#include <string>

#include "tests/integration/served_test.h"
#include "tests/support/message_bytes.h"

namespace posenc::testing {
namespace {

constexpr char kServing[] = "\x08\x01";
constexpr char kNotServing[] = "\x08\x02";
constexpr char kServiceUnknown[] = "\x08\x03";

// HealthCheckRequest { string service = 1; }
grpc::ByteBuffer RequestOf(const std::string& service) {
  std::string bytes;
  if (!service.empty()) {
    bytes =
        '\x0a' + std::string(1, static_cast<char>(service.size())) + service;
  }
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

class HealthTest : public ServedTest {
 protected:
  void SetUp() override {
    Serve();
    stub_ = std::make_unique<grpc::GenericStub>(grpc::CreateChannel(
        server_->address(), grpc::InsecureChannelCredentials()));
  }

  // Waits for the next operation.
  bool Next() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

  grpc::Status Check(const grpc::ByteBuffer& request, std::string& answer) {
    grpc::ClientContext context;
    const auto call = stub_->PrepareUnaryCall(
        &context, "/grpc.health.v1.Health/Check", request, &queue_);
    call->StartCall();
    grpc::ByteBuffer response;
    grpc::Status status;
    call->Finish(&response, &status, this);
    Next();
    if (status.ok()) answer = BytesOf(response);
    return status;
  }

  // A Watch that has sent its request.
  struct Watch {
    grpc::ClientContext context;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream;
  };
  std::unique_ptr<Watch> StartWatch(const std::string& service) {
    auto watch = std::make_unique<Watch>();
    watch->stream = stub_->PrepareCall(&watch->context,
                                       "/grpc.health.v1.Health/Watch", &queue_);
    watch->stream->StartCall(this);
    EXPECT_TRUE(Next());
    watch->stream->WriteLast(RequestOf(service), grpc::WriteOptions(), this);
    EXPECT_TRUE(Next());
    return watch;
  }
  std::string Read(Watch& watch) {
    grpc::ByteBuffer message;
    watch.stream->Read(&message, this);
    return Next() ? BytesOf(message) : "ended";
  }
  grpc::StatusCode Finish(Watch& watch) {
    grpc::Status status;
    watch.stream->Finish(&status, this);
    EXPECT_TRUE(Next());
    return status.error_code();
  }

  std::unique_ptr<grpc::GenericStub> stub_;
  grpc::CompletionQueue queue_;
};

TEST_F(HealthTest, ChecksTheServerAndEachService) {
  for (const char* service :
       {"", "posenc.v1.PositionalEncoding", "posenc.v1.EmbeddingTables",
        "posenc.v1.EncodingCache"}) {
    std::string answer;
    EXPECT_TRUE(Check(RequestOf(service), answer).ok()) << service;
    EXPECT_EQ(answer, kServing) << service;
  }
  std::string answer;
  EXPECT_EQ(Check(RequestOf("posenc.v1.Nothing"), answer).error_code(),
            grpc::StatusCode::NOT_FOUND);
  const grpc::Slice garbage("\x0a\xff");
  EXPECT_EQ(Check(grpc::ByteBuffer(&garbage, 1), answer).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  ExpectGood();
}

TEST_F(HealthTest, WatchersHearOfTheDrain) {
  const auto whole = StartWatch(""), unknown = StartWatch("nothing");
  EXPECT_EQ(Read(*whole), kServing);
  EXPECT_EQ(Read(*unknown), kServiceUnknown);
  server_->Signal(SIGTERM);
  EXPECT_EQ(Read(*whole), kNotServing);
  EXPECT_EQ(Read(*whole), "ended");
  EXPECT_NE(Finish(*whole), grpc::StatusCode::OK);
  EXPECT_EQ(Read(*unknown), "ended");
  EXPECT_NE(Finish(*unknown), grpc::StatusCode::OK);
  EXPECT_EQ(server_->Wait(), 0) << server_->Log();
}

TEST_F(HealthTest, WatchersMayLeave) {
  for (int i = 0; i < 50; ++i) {
    const auto watch = StartWatch("");
    EXPECT_EQ(Read(*watch), kServing);
    watch->context.TryCancel();
    EXPECT_EQ(Read(*watch), "ended");
    EXPECT_EQ(Finish(*watch), grpc::StatusCode::CANCELLED);
  }
  ExpectGood();
  EXPECT_EQ(server_->Terminate(), 0) << server_->Log();
}

}  // namespace
}  // namespace posenc::testing
