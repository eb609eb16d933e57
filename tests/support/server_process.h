#ifndef POSENC_TESTS_SUPPORT_SERVER_PROCESS_H_
#define POSENC_TESTS_SUPPORT_SERVER_PROCESS_H_

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace posenc::testing {

// Closes a file descriptor; throws if there is none.
class OwnedFd {
 public:
  explicit OwnedFd(int fd) : fd_(fd) {
    if (fd < 0) throw std::runtime_error("cannot open a file");
  }
  ~OwnedFd() { close(fd_); }
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

// A program that runs beside the test. Killed, if it still runs, when this
// goes.
class Process {
 public:
  // Starts it, with these file descriptors as its standard output and error.
  Process(const std::vector<std::string>& command, int out, int err);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void Signal(int signal) const;
  pid_t pid() const { return pid_; }

  // Waits for the end. The exit status, or 128 + the signal that ended it.
  int Wait();

 private:
  pid_t pid_ = -1;
  int status_ = -1;
  bool ended_ = false;
};

// A program that has printed a line to say that it is ready; the line is empty
// if it ended without.
struct ReadyProgram {
  std::unique_ptr<Process> process;
  std::string line;
};
ReadyProgram StartProgram(const std::vector<std::string>& command, int err);

// The output of a program that runs to its end.
struct Finished {
  int exit_status = -1;
  std::string out;
  std::string err;
};
Finished RunProgram(const std::vector<std::string>& command);

// The real posenc-server on a free port of 127.0.0.1.
class ServerProcess {
 public:
  // Starts it with these flags besides, and waits until it says that it
  // listens. Throws, with what it said, if it ends instead.
  explicit ServerProcess(const std::vector<std::string>& flags = {});

  // "127.0.0.1:PORT".
  const std::string& address() const { return address_; }

  // The line that it printed when it began to listen.
  const std::string& start_line() const { return start_line_; }

  // What it has logged so far.
  std::string Log() const;

  void Signal(int signal) const { process_->Signal(signal); }
  pid_t pid() const { return process_->pid(); }

  // Sends SIGTERM and waits. The exit status.
  int Terminate();
  int Wait() { return process_->Wait(); }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<Process> process_;
  std::string address_;
  std::string start_line_;
};

}  // namespace posenc::testing

#endif  // POSENC_TESTS_SUPPORT_SERVER_PROCESS_H_
