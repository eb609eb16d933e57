#include "server/transport/health_service.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/impl/codegen/rpc_service_method.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/slice.h>

#include <algorithm>
#include <utility>

#include "server/base/limits.h"
#include "server/transport/completion.h"

namespace posenc::server {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr int kCheck = 0;
constexpr int kWatch = 1;

grpc::internal::RpcServiceMethod* Method(
    const char* name, grpc::internal::RpcMethod::RpcType type) {
  return new grpc::internal::RpcServiceMethod(name, type, nullptr);
}

}  // namespace

class HealthService::CheckCall {
 public:
  CheckCall(HealthService& health, grpc::ServerCompletionQueue& queue)
      : health_(health), queue_(queue), responder_(&context_) {
    health_.RequestAsyncUnary(kCheck, &context_, &message_, &responder_,
                              &queue_, &queue_, received_.Tag());
  }
  ~CheckCall() { health_.queue_calls_.Remove(); }

 private:
  void OnReceived(bool ok) {
    if (!ok) {  // the server has shut down
      delete this;
      return;
    }
    health_.PostCheck(queue_);
    const auto service = ServiceOf(message_);
    if (!service) {
      Fail(grpc::StatusCode::INVALID_ARGUMENT,
           "the message is no HealthCheckRequest");
      return;
    }
    Status status;
    {
      const std::lock_guard lock(health_.mutex_);
      status = health_.StatusOf(*service);
    }
    if (status == Status::kServiceUnknown) {
      Fail(grpc::StatusCode::NOT_FOUND, "there is no such service");
      return;
    }
    responder_.Finish(ToWire(status), grpc::Status::OK, finished_.Tag());
  }

  void Fail(grpc::StatusCode code, const char* message) {
    responder_.FinishWithError(grpc::Status(code, message), finished_.Tag());
  }

  void OnFinished(bool) { delete this; }

  HealthService& health_;
  grpc::ServerCompletionQueue& queue_;
  grpc::ServerContext context_;
  grpc::ByteBuffer message_;
  grpc::ServerAsyncResponseWriter<grpc::ByteBuffer> responder_;
  Completion received_{this,
                       Completion::Call<CheckCall, &CheckCall::OnReceived>};
  Completion finished_{this,
                       Completion::Call<CheckCall, &CheckCall::OnFinished>};
};

// Lives until its caller, or the server, is gone: a Watch has no other end.
class HealthService::WatchCall {
 public:
  WatchCall(HealthService& health, grpc::ServerCompletionQueue& queue)
      : health_(health), queue_(queue), writer_(&context_) {
    context_.AsyncNotifyWhenDone(gone_.Tag());
    health_.RequestAsyncServerStreaming(kWatch, &context_, &message_, &writer_,
                                        &queue_, &queue_, received_.Tag());
  }
  ~WatchCall() { health_.queue_calls_.Remove(); }

  // Writes the status if it is another. Needs the lock.
  void Tell() {
    const Status status = health_.StatusOf(service_);
    if (writing_ || is_gone_ || told_ == status) return;
    told_ = status;
    writing_ = true;
    writer_.Write(ToWire(status), written_.Tag());
  }

 private:
  void OnReceived(bool ok) {
    if (!ok) {  // the server has shut down, and gone_ will not come
      delete this;
      return;
    }
    health_.PostWatch(queue_);
    service_ = ServiceOf(message_).value_or("");
    const std::lock_guard lock(health_.mutex_);
    if (!is_gone_) health_.watchers_.insert(this);
    Tell();
  }

  void OnWritten(bool) {
    const std::lock_guard lock(health_.mutex_);
    writing_ = false;
    Tell();
    FinishIfGone();
  }

  void OnGone(bool) {
    const std::lock_guard lock(health_.mutex_);
    is_gone_ = true;
    health_.watchers_.erase(this);
    FinishIfGone();
  }

  void FinishIfGone() {
    if (is_gone_ && !writing_) {
      writer_.Finish(grpc::Status::CANCELLED, finished_.Tag());
    }
  }

  void OnFinished(bool) {
    // Whoever started the end may still hold the lock.
    { const std::lock_guard lock(health_.mutex_); }
    delete this;
  }

  HealthService& health_;
  grpc::ServerCompletionQueue& queue_;
  grpc::ServerContext context_;
  grpc::ByteBuffer message_;
  grpc::ServerAsyncWriter<grpc::ByteBuffer> writer_;
  std::string service_;
  std::optional<Status> told_;
  bool writing_ = false;
  bool is_gone_ = false;
  Completion received_{this,
                       Completion::Call<WatchCall, &WatchCall::OnReceived>};
  Completion written_{this, Completion::Call<WatchCall, &WatchCall::OnWritten>};
  Completion gone_{this, Completion::Call<WatchCall, &WatchCall::OnGone>};
  Completion finished_{this,
                       Completion::Call<WatchCall, &WatchCall::OnFinished>};
};

HealthService::HealthService(std::vector<std::string> services,
                             QueueCalls& queue_calls)
    : services_(std::move(services)), queue_calls_(queue_calls) {
  AddMethod(Method("/grpc.health.v1.Health/Check",
                   grpc::internal::RpcMethod::NORMAL_RPC));
  AddMethod(Method("/grpc.health.v1.Health/Watch",
                   grpc::internal::RpcMethod::SERVER_STREAMING));
  MarkMethodRaw(kCheck);
  MarkMethodRaw(kWatch);
}

void HealthService::PostCheck(grpc::ServerCompletionQueue& queue) {
  if (queue_calls_.Add()) new CheckCall(*this, queue);
}

void HealthService::PostWatch(grpc::ServerCompletionQueue& queue) {
  if (queue_calls_.Add()) new WatchCall(*this, queue);
}

void HealthService::SetServing(bool serving) {
  const std::lock_guard lock(mutex_);
  serving_ = serving;
  for (WatchCall* watcher : watchers_) watcher->Tell();
}

std::optional<std::string> HealthService::ServiceOf(grpc::ByteBuffer& message) {
  constexpr std::uint32_t kServiceTag =
      WireFormatLite::MakeTag(1, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
  if (message.Length() > kMaxHeaderBytes) return std::nullopt;
  grpc::ProtoBufferReader reader(&message);
  CodedInputStream input(&reader);
  std::string service;
  while (const std::uint32_t tag = input.ReadTag()) {
    const bool read = tag == kServiceTag
                          ? WireFormatLite::ReadBytes(&input, &service)
                          : WireFormatLite::SkipField(&input, tag);
    if (!read) return std::nullopt;
  }
  if (!input.ConsumedEntireMessage()) return std::nullopt;
  return service;
}

grpc::ByteBuffer HealthService::ToWire(Status status) {
  // HealthCheckResponse { ServingStatus status = 1; }
  const char bytes[] = {
      WireFormatLite::MakeTag(1, WireFormatLite::WIRETYPE_VARINT),
      static_cast<char>(status)};
  const grpc::Slice slice(bytes, sizeof(bytes));
  return grpc::ByteBuffer(&slice, 1);
}

HealthService::Status HealthService::StatusOf(absl::string_view service) const {
  if (!service.empty() && std::find(services_.begin(), services_.end(),
                                    service) == services_.end()) {
    return Status::kServiceUnknown;
  }
  return serving_ ? Status::kServing : Status::kNotServing;
}

}  // namespace posenc::server
