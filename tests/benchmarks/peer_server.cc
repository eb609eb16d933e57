#include "tests/benchmarks/peer_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/rpc_service_method.h>
#include <grpcpp/support/async_unary_call.h>
#include <sys/mman.h>

#include <algorithm>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "server/transport/process_tuning.h"

namespace posenc::testing {
namespace {

constexpr int kUnlimited = -1;
constexpr int kPostedCalls = 16;

class RawService : public grpc::Service {
 public:
  RawService() {
    AddMethod(new grpc::internal::RpcServiceMethod(
        "/posenc.v1.PositionalEncoding/Encode",
        grpc::internal::RpcMethod::NORMAL_RPC, nullptr));
    MarkMethodRaw(0);
  }

  void Request(grpc::ServerContext* context, grpc::ByteBuffer* message,
               grpc::ServerAsyncResponseWriter<grpc::ByteBuffer>* writer,
               grpc::ServerCompletionQueue* queue, void* tag) {
    RequestAsyncUnary(0, context, message, writer, queue, queue, tag);
  }
};

// Buffers of one size, touched once and used again.
class Buffers {
 public:
  explicit Buffers(std::size_t bytes) : bytes_(bytes) {}

  grpc::Slice Take() {
    void* data = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        data = free_.back();
        free_.pop_back();
      }
    }
    if (data == nullptr) data = Map();
    auto* lease = new Lease{this, data};
    return grpc::Slice(data, bytes_, &Buffers::Return, lease);
  }

 private:
  struct Lease {
    Buffers* owner;
    void* data;
  };

  void* Map() const {
    void* data = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) throw std::bad_alloc();
    (void)madvise(data, bytes_, MADV_HUGEPAGE);
    std::fill_n(static_cast<char*>(data), bytes_, 1);
    return data;
  }

  static void Return(void* lease_pointer) {
    const std::unique_ptr<Lease> lease(static_cast<Lease*>(lease_pointer));
    const std::lock_guard lock(lease->owner->mutex_);
    lease->owner->free_.push_back(lease->data);
  }

  const std::size_t bytes_;
  std::mutex mutex_;
  std::vector<void*> free_;
};

class PeerCall {
 public:
  PeerCall(RawService& service, grpc::ServerCompletionQueue& queue,
           Buffers* buffers)
      : service_(service),
        queue_(queue),
        buffers_(buffers),
        writer_(&context_) {
    service_.Request(&context_, &message_, &writer_, &queue_, this);
  }

  void Proceed(bool ok) {
    if (!ok || answered_) {
      delete this;
      return;
    }
    new PeerCall(service_, queue_, buffers_);
    answered_ = true;
    if (buffers_ != nullptr) {
      const grpc::Slice slice = buffers_->Take();
      message_ = grpc::ByteBuffer(&slice, 1);
    }
    writer_.Finish(message_, grpc::Status::OK, this);
  }

 private:
  RawService& service_;
  grpc::ServerCompletionQueue& queue_;
  Buffers* const buffers_;
  grpc::ServerContext context_;
  grpc::ByteBuffer message_;
  grpc::ServerAsyncResponseWriter<grpc::ByteBuffer> writer_;
  bool answered_ = false;
};

}  // namespace

int DefaultThreads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2);
}

int RunPeer(const std::vector<std::string>& words) {
  const int threads = std::stoi(words.at(0));
  const std::size_t answer_bytes = std::stoull(words.at(1));
  const std::string& unix_socket = words.at(2);
  if (words.at(3) == "tuned") server::TuneProcess();
  const auto buffers = std::make_unique<Buffers>(answer_bytes);
  RawService service;
  grpc::ServerBuilder builder;
  int port = 0;
  const std::string address =
      unix_socket.empty() ? "127.0.0.1:0" : "unix:" + unix_socket;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(kUnlimited);
  builder.SetMaxSendMessageSize(kUnlimited);
  builder.RegisterService(&service);
  std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> queues;
  for (int i = 0; i < threads; ++i) {
    queues.push_back(builder.AddCompletionQueue());
  }
  const auto server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  std::vector<std::thread> pollers;
  for (const auto& queue : queues) {
    for (int i = 0; i < kPostedCalls; ++i) {
      new PeerCall(service, *queue,
                   answer_bytes == 0 ? nullptr : buffers.get());
    }
    pollers.emplace_back([&queue] {
      void* tag = nullptr;
      bool ok = false;
      while (queue->Next(&tag, &ok)) static_cast<PeerCall*>(tag)->Proceed(ok);
    });
  }
  std::cout << (unix_socket.empty() ? "127.0.0.1:" + std::to_string(port)
                                    : address)
            << std::endl;
  for (std::thread& poller : pollers) poller.join();
  return 0;
}

PeerProcess::PeerProcess(const std::string& program,
                         const PeerOptions& options) {
  ReadyProgram peer =
      StartProgram({program, "--peer", std::to_string(options.threads),
                    std::to_string(options.answer_bytes), options.unix_socket,
                    options.tuned ? "tuned" : "plain"},
                   STDERR_FILENO);
  process_ = std::move(peer.process);
  address_ = std::move(peer.line);
  if (address_.empty()) throw std::runtime_error("the peer did not start");
}

}  // namespace posenc::testing
