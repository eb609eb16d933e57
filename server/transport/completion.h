#ifndef POSENC_SERVER_TRANSPORT_COMPLETION_H_
#define POSENC_SERVER_TRANSPORT_COMPLETION_H_

#include <atomic>

namespace posenc::server {

// What a completion queue's tag points to: a method of a call, told when an
// operation is done. It must outlive the operation.
class Completion {
 public:
  using Function = void (*)(void* call, bool ok);

  Completion(void* call, Function function)
      : call_(call), function_(function) {}
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  // The function that calls a method: Call<X, &X::OnRead>.
  template <typename T, void (T::*method)(bool)>
  static void Call(void* call, bool ok) {
    (static_cast<T*>(call)->*method)(ok);
  }

  // The tag to start an operation with. All that was written before is seen by
  // the thread that completes it: gRPC sees to that too, but in code that
  // ThreadSanitizer does not know.
  void* Tag() {
    handed_over_.store(true, std::memory_order_release);
    return this;
  }

  void Done(bool ok) {
    handed_over_.load(std::memory_order_acquire);
    function_(call_, ok);
  }

 private:
  std::atomic<bool> handed_over_ = false;
  void* const call_;
  const Function function_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_COMPLETION_H_
