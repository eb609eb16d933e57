#include "server/transport/queue_calls.h"

namespace posenc::server {

bool QueueCalls::Add() {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  ++calls_;
  return true;
}

void QueueCalls::Remove() {
  const std::lock_guard lock(mutex_);
  if (--calls_ == 0 && closed_) none_.notify_all();
}

void QueueCalls::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

void QueueCalls::AwaitNone() {
  std::unique_lock lock(mutex_);
  none_.wait(lock, [this] { return calls_ == 0; });
}

}  // namespace posenc::server
