#ifndef POSENC_CLI_PROGRESS_H_
#define POSENC_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "posenc/requests.h"

namespace posenc::cli {

using Clock = std::function<std::chrono::steady_clock::time_point()>;

// Shows on a terminal that a call is under way: a bar for a transfer of at
// least 8 MiB, the seconds so far for any other call that takes over a second.
// Shows nothing elsewhere. Its line is gone when the object is.
class Progress {
 public:
  // `err` must outlive the object.
  Progress(std::ostream& err, bool is_terminal, Clock now,
           std::function<bool()> cancelled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Options for the call to watch; the object must outlive the call.
  posenc::CallOptions Call();

 private:
  void ShowBytes(std::uint64_t bytes, std::uint64_t total);
  void ShowSeconds();
  void Rewrite(std::int64_t step, const std::string& label);

  std::ostream& err_;
  const bool is_terminal_;
  const Clock now_;
  const std::function<bool()> cancelled_;
  const std::chrono::steady_clock::time_point start_;
  bool has_bar_ = false;
  bool has_line_ = false;
  std::int64_t shown_ = -1;  // the percentage or the second that is on screen
};

}  // namespace posenc::cli

#endif  // POSENC_CLI_PROGRESS_H_
