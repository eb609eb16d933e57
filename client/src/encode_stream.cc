#include "client/src/encode_stream.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <optional>
#include <utility>

#include "client/src/call.h"
#include "client/src/encode_codec.h"
#include "client/src/message_size.h"

namespace posenc {
namespace {

constexpr char kMethod[] = "/posenc.v1.PositionalEncoding/EncodeStream";

class GrpcEncodeStream final : public EncodeStream {
 public:
  GrpcEncodeStream(const std::shared_ptr<grpc::Channel>& channel,
                   const CallOptions& options, gpr_timespec deadline,
                   std::uint64_t max_message_bytes)
      : max_message_bytes_(max_message_bytes),
        call_(options.cancelled, deadline),
        stream_(grpc::GenericStub(channel).PrepareCall(
            &call_.context(), kMethod, &call_.queue())) {}

  ~GrpcEncodeStream() override {
    if (end_) return;
    call_.context().TryCancel();
    End();
  }

  // The stream is of no use until this has succeeded.
  absl::Status Start() {
    if (call_.Cancelled()) {
      end_ = call_.Outcome(grpc::Status::CANCELLED);
      return *end_;
    }
    stream_->StartCall(&receiving_);
    if (call_.Wait(&receiving_)) return absl::OkStatus();
    End();
    return *end_;
  }

  absl::Status Send(const EncodeParams& params) override {
    if (finished_sending_) {
      return absl::FailedPreconditionError("Send after FinishSending");
    }
    const absl::StatusOr<grpc::ByteBuffer> message =
        SerializeEncodeRequest(params, max_message_bytes_);
    if (!message.ok()) return message.status();
    stream_->Write(*message, &sending_);
    return call_.Wait(&sending_) ? absl::OkStatus() : BrokenError();
  }

  absl::Status FinishSending() override {
    if (finished_sending_) return absl::OkStatus();
    finished_sending_ = true;
    stream_->WritesDone(&sending_);
    return call_.Wait(&sending_) ? absl::OkStatus() : BrokenError();
  }

  std::optional<absl::StatusOr<EncodeResult>> Receive() override {
    if (end_) return std::nullopt;
    grpc::ByteBuffer message;
    stream_->Read(&message, &receiving_);
    if (call_.Wait(&receiving_)) return ParseEncodeStreamResponse(message);
    End();
    return std::nullopt;
  }

  absl::Status Finish() override {
    if (!end_) {
      return absl::FailedPreconditionError(
          "Finish before Receive has given nullopt");
    }
    return *end_;
  }

 private:
  // Takes the status of the stream, which must have ended or been cancelled.
  void End() {
    grpc::Status status;
    stream_->Finish(&status, &receiving_);
    call_.Wait(&receiving_);
    end_ = NameSizeKnob(call_.Outcome(status), max_message_bytes_);
  }

  absl::Status BrokenError() {
    if (call_.Cancelled()) return call_.Outcome(grpc::Status::CANCELLED);
    return absl::UnavailableError(
        "the stream has broken; Receive until it gives nullopt, then Finish "
        "says why");
  }

  const std::uint64_t max_message_bytes_;
  Call call_;
  const std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;

  // The addresses of these two are the tags of what each side waits for; each
  // side has at most one operation at a time.
  char sending_ = 0;
  char receiving_ = 0;
  bool finished_sending_ = false;    // the sending side's
  std::optional<absl::Status> end_;  // the receiving side's
};

}  // namespace

absl::StatusOr<std::unique_ptr<EncodeStream>> StartEncodeStream(
    const std::shared_ptr<grpc::Channel>& channel, const CallOptions& options,
    gpr_timespec deadline, std::uint64_t max_message_bytes) {
  auto stream = std::make_unique<GrpcEncodeStream>(channel, options, deadline,
                                                   max_message_bytes);
  if (absl::Status status = stream->Start(); !status.ok()) return status;
  return stream;
}

}  // namespace posenc
