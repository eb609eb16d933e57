#ifndef POSENC_SERVER_TRANSPORT_COMPLETION_H_
#define POSENC_SERVER_TRANSPORT_COMPLETION_H_

namespace posenc::server {

// What a completion queue's tag points to: told when its operation is done. It
// must outlive the operation.
class Completion {
 public:
  virtual ~Completion() = default;
  virtual void Done(bool ok) = 0;
};

// A completion that calls one method of an object.
template <typename Call, void (Call::*method)(bool)>
class MethodCompletion final : public Completion {
 public:
  explicit MethodCompletion(Call* call) : call_(call) {}
  void Done(bool ok) override { (call_->*method)(ok); }

 private:
  Call* const call_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_COMPLETION_H_
