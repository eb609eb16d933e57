#ifndef POSENC_SERVER_TRANSPORT_ENCODE_PLANNER_H_
#define POSENC_SERVER_TRANSPORT_ENCODE_PLANNER_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/segments.h"
#include "server/service/engine.h"

namespace posenc::server {

// A message's plan, and what of the wire goes with it.
struct PlannedMessage {
  EncodePlan plan;
  std::size_t payload_begin = 0;  // of the input, in bytes of the message
  std::size_t payload_bytes = 0;
  // The EncodeResponse, apart from its output's bytes.
  grpc::Slice response_head;
};

// A received EncodeRequest, ready to run, once.
class EncodeJob {
 public:
  EncodeJob(std::shared_ptr<const PlannedMessage> message,
            std::vector<grpc::Slice> slices)
      : message_(std::move(message)), slices_(std::move(slices)) {}

  // Whether it takes so long that a thread with other duties should not run it.
  bool IsLarge() const;

  // The response: an EncodeResponse, or an EncodeStreamResponse that holds one.
  absl::StatusOr<grpc::ByteBuffer> Run(Engine& engine);
  absl::StatusOr<grpc::ByteBuffer> RunForStream(Engine& engine);

 private:
  absl::StatusOr<grpc::ByteBuffer> Run(Engine& engine,
                                       std::vector<grpc::Slice> head);
  // take(slice, begin, end) for each piece of the input's payload, in order.
  template <typename Take>
  void ForEachPayloadPiece(Take take) const;

  std::shared_ptr<const PlannedMessage> message_;
  std::vector<grpc::Slice> slices_;
};

// Turns messages into jobs. Callers repeat themselves: a message that differs
// from a recent one in its payload's bytes alone gets that one's plan, without
// being parsed. Not thread-safe.
class EncodePlanner {
 public:
  // `engine` must outlive the planner.
  explicit EncodePlanner(Engine& engine) : engine_(engine) {}

  // Errors are those of DecodeRequest and Engine::Plan.
  absl::StatusOr<EncodeJob> Plan(grpc::ByteBuffer& message);

 private:
  // A plan that any message with this beginning and of this size has, since the
  // rest of it is payload.
  struct Known {
    std::string beginning;
    std::size_t message_bytes = 0;
    std::shared_ptr<const PlannedMessage> message;
  };

  std::shared_ptr<const PlannedMessage> Find(
      const std::vector<grpc::Slice>& slices, std::size_t message_bytes) const;
  void Remember(const std::vector<grpc::Slice>& slices,
                std::size_t message_bytes,
                std::shared_ptr<const PlannedMessage> message);

  Engine& engine_;
  std::vector<Known> known_;
  std::size_t next_ = 0;  // of known_, to be replaced
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_ENCODE_PLANNER_H_
