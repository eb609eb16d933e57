#include "server/base/worker_pool.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace posenc::server {
namespace {

// One ForEach. Helpers may come when all is done, even after it has returned;
// then they find no number left, and touch nothing else.
struct Shared {
  std::mutex mutex;
  std::condition_variable all_done;
  std::size_t next = 0;
  std::size_t done = 0;
  const std::size_t count;
  const std::function<void(std::size_t)>& work;

  Shared(std::size_t count_in, const std::function<void(std::size_t)>& work_in)
      : count(count_in), work(work_in) {}

  void Help() {
    std::unique_lock lock(mutex);
    while (next < count) {
      const std::size_t mine = next++;
      lock.unlock();
      work(mine);
      lock.lock();
      if (++done == count) all_done.notify_all();
    }
  }
};

}  // namespace

WorkerPool::WorkerPool(int threads) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { Work(); });
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::Submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  more_.notify_one();
}

void WorkerPool::ForEach(std::size_t count,
                         const std::function<void(std::size_t)>& work) {
  if (count <= 1) {
    if (count == 1) work(0);
    return;
  }
  const auto shared = std::make_shared<Shared>(count, work);
  const std::size_t helpers = std::min(threads_.size(), count - 1);
  {
    // Before whatever waits: the work has begun already.
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < helpers; ++i) {
      tasks_.emplace_front([shared] { shared->Help(); });
    }
  }
  for (std::size_t i = 0; i < helpers; ++i) more_.notify_one();
  shared->Help();
  std::unique_lock lock(shared->mutex);
  shared->all_done.wait(lock, [&] { return shared->done == count; });
}

void WorkerPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace posenc::server
