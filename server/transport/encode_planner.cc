#include "server/transport/encode_planner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "server/base/limits.h"
#include "server/transport/request_codec.h"
#include "server/transport/response_codec.h"

namespace posenc::server {
namespace {

bool BeginWith(const std::vector<grpc::Slice>& slices,
               const std::string& beginning) {
  std::size_t done = 0;
  for (const grpc::Slice& slice : slices) {
    const std::size_t size = std::min(beginning.size() - done, slice.size());
    if (std::memcmp(slice.begin(), beginning.data() + done, size) != 0) {
      return false;
    }
    done += size;
    if (done == beginning.size()) return true;
  }
  return false;
}

std::string BeginningOf(const std::vector<grpc::Slice>& slices,
                        std::size_t bytes) {
  std::string beginning;
  for (const grpc::Slice& slice : slices) {
    const std::size_t size = std::min(bytes - beginning.size(), slice.size());
    beginning.append(reinterpret_cast<const char*>(slice.begin()), size);
  }
  return beginning;
}

}  // namespace

template <typename Take>
void EncodeJob::ForEachPayloadPiece(Take take) const {
  std::size_t skip = message_->payload_begin;
  std::size_t left = message_->payload_bytes;
  for (const grpc::Slice& slice : slices_) {
    if (left == 0) return;
    if (skip >= slice.size()) {
      skip -= slice.size();
      continue;
    }
    const std::size_t end = std::min(slice.size(), skip + left);
    take(slice, skip, end);
    left -= end - skip;
    skip = 0;
  }
}

bool EncodeJob::IsLarge() const {
  return message_->payload_bytes + message_->plan.output_bytes >=
         kLargeJobBytes;
}

absl::StatusOr<grpc::ByteBuffer> EncodeJob::Run(Engine& engine) {
  std::vector<grpc::Slice> head;
  head.reserve(slices_.size() + 1);
  head.push_back(message_->response_head);
  return Run(engine, std::move(head));
}

absl::StatusOr<grpc::ByteBuffer> EncodeJob::RunForStream(Engine& engine) {
  const std::size_t response_bytes =
      message_->response_head.size() + message_->plan.output_bytes;
  return Run(engine,
             {StreamResponseHead(response_bytes), message_->response_head});
}

absl::StatusOr<grpc::ByteBuffer> EncodeJob::Run(Engine& engine,
                                                std::vector<grpc::Slice> head) {
  std::vector<Segment> segments;
  segments.reserve(slices_.size());
  ForEachPayloadPiece([&](const grpc::Slice& slice, std::size_t begin,
                          std::size_t end) {
    segments.emplace_back(
        reinterpret_cast<const std::byte*>(slice.begin()) + begin, end - begin);
  });
  // gRPC gives slices as const, since several may share memory; but the bytes
  // of a message that came over a socket are in no other message.
  auto output = engine.Run(message_->plan, segments, Overwrite::kIfItFits);
  if (!output.ok()) return output.status();
  if (output->bytes().empty()) {
    ForEachPayloadPiece(
        [&](const grpc::Slice& slice, std::size_t begin, std::size_t end) {
          head.push_back(slice.sub(begin, end));
        });
  } else {
    head.push_back(ToSlice(*std::move(output)));
  }
  return grpc::ByteBuffer(head.data(), head.size());
}

absl::StatusOr<EncodeJob> EncodePlanner::Plan(grpc::ByteBuffer& message) {
  std::vector<grpc::Slice> slices;
  const std::size_t bytes = message.Length();
  if (message.Dump(&slices).ok()) {
    if (auto known = Find(slices, bytes)) {
      return EncodeJob(std::move(known), std::move(slices));
    }
  }
  auto received = DecodeRequest(message);
  if (!received.ok()) return received.status();
  auto plan = engine_.Plan(received->request);
  if (!plan.ok()) return plan.status();
  auto planned = std::make_shared<PlannedMessage>();
  planned->response_head = ResponseHead(*plan);
  planned->plan = *std::move(plan);
  planned->payload_begin = received->input_begin;
  planned->payload_bytes = received->input_bytes;
  Remember(slices, bytes, planned);
  return EncodeJob(std::move(planned), std::move(slices));
}

std::shared_ptr<const PlannedMessage> EncodePlanner::Find(
    const std::vector<grpc::Slice>& slices, std::size_t message_bytes) const {
  for (const Known& known : known_) {
    if (known.message_bytes == message_bytes &&
        BeginWith(slices, known.beginning)) {
      return known.message;
    }
  }
  return nullptr;
}

void EncodePlanner::Remember(const std::vector<grpc::Slice>& slices,
                             std::size_t message_bytes,
                             std::shared_ptr<const PlannedMessage> message) {
  const std::size_t begin = message->payload_begin;
  if (begin > kMaxKnownBeginningBytes ||
      begin + message->payload_bytes != message_bytes ||
      message->plan.positions.values.size() > kMaxKnownPositions ||
      !message->plan.ReadsNoTable()) {
    return;
  }
  Known known{BeginningOf(slices, begin), message_bytes, std::move(message)};
  if (known_.size() < kKnownPlans) {
    known_.push_back(std::move(known));
    return;
  }
  known_[next_] = std::move(known);
  next_ = (next_ + 1) % kKnownPlans;
}

}  // namespace posenc::server
