#include "client/src/channel_pool.h"

#include <algorithm>

namespace posenc {

ChannelPool::Lease::Lease(std::shared_ptr<Member> member, std::uint64_t bytes)
    : member_(std::move(member)), bytes_(bytes) {
  ++member_->calls;
  member_->bytes += bytes_;
}

ChannelPool::Lease::~Lease() {
  if (member_ == nullptr) return;
  --member_->calls;
  member_->bytes -= bytes_;
}

ChannelPool::ChannelPool(std::shared_ptr<grpc::Channel> first, MakeChannel make,
                         std::size_t max_channels)
    : first_(std::move(first)),
      make_(std::move(make)),
      max_channels_(max_channels),
      members_({std::make_shared<Member>(first_)}) {}

ChannelPool::Lease ChannelPool::Take(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto load = [](const std::shared_ptr<Member>& member) {
    return std::pair(member->calls.load(), member->bytes.load());
  };
  auto least = std::ranges::min_element(members_, {}, load);
  if ((*least)->calls > 0 && members_.size() < max_channels_) {
    members_.push_back(std::make_shared<Member>(make_()));
    least = members_.end() - 1;
  }
  return Lease(*least, bytes);
}

}  // namespace posenc
