#ifndef POSENC_SERVER_TRANSPORT_QUEUE_CALLS_H_
#define POSENC_SERVER_TRANSPORT_QUEUE_CALLS_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace posenc::server {

// Counts the call objects of a completion queue, those that wait for a call
// too. A queue may be shut down only when none is left: gRPC aborts the process
// if one starts an operation after that. Thread-safe.
class QueueCalls {
 public:
  // Whether one more may be posted; it counts until Remove.
  bool Add();
  void Remove();

  // Lets no more be posted.
  void Close();

  // Waits until none is left. Every one goes once the server has shut down.
  void AwaitNone();

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  std::uint64_t calls_ = 0;
  bool closed_ = false;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_QUEUE_CALLS_H_
