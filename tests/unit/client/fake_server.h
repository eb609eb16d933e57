#ifndef POSENC_TESTS_UNIT_CLIENT_FAKE_SERVER_H_
#define POSENC_TESTS_UNIT_CLIENT_FAKE_SERVER_H_

#include <gmock/gmock.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "posenc/v1/embedding_tables.grpc.pb.h"
#include "posenc/v1/encoding_cache.grpc.pb.h"
#include "posenc/v1/positional_encoding.grpc.pb.h"

namespace posenc {

// More than any event in these tests takes; only a failing test waits for it.
inline constexpr std::chrono::seconds kPatience(60);

class MockPositionalEncoding : public v1::PositionalEncoding::Service {
 public:
  MOCK_METHOD(grpc::Status, Encode,
              (grpc::ServerContext*, const v1::EncodeRequest*,
               v1::EncodeResponse*),
              (override));
  MOCK_METHOD(grpc::Status, EncodeStream,
              (grpc::ServerContext*,
               (grpc::ServerReaderWriter<v1::EncodeStreamResponse,
                                         v1::EncodeRequest>*)),
              (override));
  MOCK_METHOD(grpc::Status, GetEncoding,
              (grpc::ServerContext*, const v1::GetEncodingRequest*,
               grpc::ServerWriter<v1::GetEncodingResponse>*),
              (override));
  MOCK_METHOD(grpc::Status, DescribeEncoding,
              (grpc::ServerContext*, const v1::DescribeEncodingRequest*,
               v1::DescribeEncodingResponse*),
              (override));
  MOCK_METHOD(grpc::Status, ListProfiles,
              (grpc::ServerContext*, const v1::ListProfilesRequest*,
               v1::ListProfilesResponse*),
              (override));
};

class MockEmbeddingTables : public v1::EmbeddingTables::Service {
 public:
  MOCK_METHOD(grpc::Status, List,
              (grpc::ServerContext*, const v1::ListEmbeddingTablesRequest*,
               v1::ListEmbeddingTablesResponse*),
              (override));
  MOCK_METHOD(grpc::Status, Get,
              (grpc::ServerContext*, const v1::GetEmbeddingTableRequest*,
               grpc::ServerWriter<v1::GetEmbeddingTableResponse>*),
              (override));
};

class MockEncodingCache : public v1::EncodingCache::Service {
 public:
  MOCK_METHOD(grpc::Status, List,
              (grpc::ServerContext*, const v1::ListEncodingCacheRequest*,
               v1::ListEncodingCacheResponse*),
              (override));
  MOCK_METHOD(grpc::Status, Warm,
              (grpc::ServerContext*, const v1::WarmEncodingCacheRequest*,
               v1::WarmEncodingCacheResponse*),
              (override));
  MOCK_METHOD(grpc::Status, Evict,
              (grpc::ServerContext*, const v1::EvictEncodingCacheRequest*,
               v1::EvictEncodingCacheResponse*),
              (override));
};

// A gRPC server in this process. Its handlers must be able to end by the time
// it is destroyed.
class FakeServer {
 public:
  explicit FakeServer(int max_message_bytes = 64 << 20) {
    int port = 0;
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port);
    builder.SetMaxReceiveMessageSize(max_message_bytes);
    builder.RegisterService(&encoding);
    builder.RegisterService(&tables);
    builder.RegisterService(&cache);
    server_ = builder.BuildAndStart();
    address_ = "127.0.0.1:" + std::to_string(port);
  }

  ~FakeServer() { Stop(); }

  const std::string& address() const { return address_; }
  grpc::Server& server() { return *server_; }

  // Cancels the calls that still run.
  void Stop() { server_->Shutdown(std::chrono::system_clock::now()); }

  ::testing::NiceMock<MockPositionalEncoding> encoding;
  ::testing::NiceMock<MockEmbeddingTables> tables;
  ::testing::NiceMock<MockEncodingCache> cache;

 private:
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

// Opened from any thread, waited for from any thread. Copies are one gate:
// handlers hold their own, since they may run on when the test's body is done.
class Gate {
 public:
  void Open() {
    const std::lock_guard lock(state_->mutex);
    state_->open = true;
    state_->opened.notify_all();
  }
  bool IsOpen() const {
    const std::lock_guard lock(state_->mutex);
    return state_->open;
  }
  // False if it stays closed.
  bool Wait() const {
    std::unique_lock lock(state_->mutex);
    return state_->opened.wait_for(lock, kPatience,
                                   [this] { return state_->open; });
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable opened;
    bool open = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace posenc

#endif  // POSENC_TESTS_UNIT_CLIENT_FAKE_SERVER_H_
