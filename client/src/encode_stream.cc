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
  GrpcEncodeStream(ChannelPool::Lease lease, std::shared_ptr<ByteBudget> budget,
                   const CallOptions& options, gpr_timespec deadline,
                   std::uint64_t max_message_bytes)
      : max_message_bytes_(max_message_bytes),
        lease_(std::move(lease)),
        budget_(std::move(budget)),
        call_(options.cancelled, deadline),
        stream_(grpc::GenericStub(lease_.channel())
                    .PrepareCall(&call_.context(), kMethod, &call_.queue())) {}

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
    const auto request = EncodeRequest::Create(params, max_message_bytes_);
    if (!request.ok()) return request.status();
    const auto hold = budget_->Take(request->bytes(), call_);
    if (!hold.ok()) return hold.status();
    const auto message = request->ToMessage();
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
    if (call_.Wait(&receiving_)) {
      absl::StatusOr<EncodeResult> result = ParseEncodeStreamResponse(message);
      if (!result.ok()) return result;
      message.Clear();
      return Delivered(*std::move(result), std::nullopt);
    }
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
  const ChannelPool::Lease lease_;
  const std::shared_ptr<ByteBudget> budget_;
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
    ChannelPool::Lease lease, std::shared_ptr<ByteBudget> budget,
    const CallOptions& options, gpr_timespec deadline,
    std::uint64_t max_message_bytes) {
  auto stream =
      std::make_unique<GrpcEncodeStream>(std::move(lease), std::move(budget),
                                         options, deadline, max_message_bytes);
  if (absl::Status status = stream->Start(); !status.ok()) return status;
  return stream;
}

}  // namespace posenc
