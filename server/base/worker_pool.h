#ifndef POSENC_SERVER_BASE_WORKER_POOL_H_
#define POSENC_SERVER_BASE_WORKER_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace posenc::server {

// Threads for work that would hold up whoever has it. Thread-safe.
class WorkerPool {
 public:
  // Without threads, ForEach does all by itself and Submit must not be used.
  explicit WorkerPool(int threads);

  // Waits for all tasks that were submitted.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs the task on one of the threads, after those submitted before.
  void Submit(std::function<void()> task);

  // Calls work(0) … work(count - 1), each once, on this thread and on those of
  // the pool that are idle; returns when all are done. A task may call it.
  void ForEach(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> tasks_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_BASE_WORKER_POOL_H_
