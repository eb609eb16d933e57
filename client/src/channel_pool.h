#ifndef POSENC_CLIENT_SRC_CHANNEL_POOL_H_
#define POSENC_CLIENT_SRC_CHANNEL_POOL_H_

#include <grpcpp/channel.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace posenc {

// The channels of one client, each a TCP connection of its own. There are as
// many as calls were ever under way at once, up to a limit. Thread-safe.
class ChannelPool {
  // A channel and what is under way on it.
  struct Member {
    explicit Member(std::shared_ptr<grpc::Channel> channel_in)
        : channel(std::move(channel_in)) {}

    const std::shared_ptr<grpc::Channel> channel;
    std::atomic<std::size_t> calls = 0;
    std::atomic<std::uint64_t> bytes = 0;
  };

 public:
  using MakeChannel = std::function<std::shared_ptr<grpc::Channel>()>;

  // A call's use of a channel, until it is destroyed. May outlive the pool.
  class Lease {
   public:
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    const std::shared_ptr<grpc::Channel>& channel() const {
      return member_->channel;
    }

   private:
    friend class ChannelPool;
    Lease(std::shared_ptr<Member> member, std::uint64_t bytes);

    std::shared_ptr<Member> member_;  // none once moved from
    std::uint64_t bytes_;
  };

  // `first` is connected already; `make` makes the others, which connect with
  // their first call.
  ChannelPool(std::shared_ptr<grpc::Channel> first, MakeChannel make,
              std::size_t max_channels);

  // For a call that sends `bytes`: the channel with the fewest calls, and among
  // those with the fewest bytes. A new one if all have calls and there may be
  // more.
  Lease Take(std::uint64_t bytes);

  // For calls so small and rare that they need no lease.
  const std::shared_ptr<grpc::Channel>& first() const { return first_; }

 private:
  const std::shared_ptr<grpc::Channel> first_;
  const MakeChannel make_;
  const std::size_t max_channels_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Member>> members_;  // never empty
};

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_CHANNEL_POOL_H_
