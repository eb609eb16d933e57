#include "tests/support/server_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <utility>

extern char** environ;

namespace posenc::testing {
namespace {

int Create(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

}  // namespace

Process::Process(const std::vector<std::string>& command, int out, int err) {
  std::vector<char*> argv;
  for (const std::string& word : command) {
    argv.push_back(const_cast<char*>(word.c_str()));
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  const int failed = posix_spawn(&pid_, command.at(0).c_str(), &actions,
                                 nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + command[0]);
}

Process::~Process() {
  if (ended_) return;
  Signal(SIGKILL);
  Wait();
}

void Process::Signal(int signal) const {
  if (!ended_) kill(pid_, signal);
}

int Process::Wait() {
  if (ended_) return status_;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error("waitpid failed");
  }
  ended_ = true;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

ReadyProgram StartProgram(const std::vector<std::string>& command, int err) {
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const OwnedFd reader(pipe[0]);
  ReadyProgram program;
  {
    const OwnedFd writer(pipe[1]);
    program.process = std::make_unique<Process>(command, writer.get(), err);
  }
  for (char c = 0; read(reader.get(), &c, 1) == 1 && c != '\n';) {
    program.line += c;
  }
  return program;
}

Finished RunProgram(const std::vector<std::string>& command) {
  const TemporaryDirectory directory;
  Finished finished;
  {
    const OwnedFd out(Create(directory.File("out")));
    const OwnedFd err(Create(directory.File("err")));
    finished.exit_status = Process(command, out.get(), err.get()).Wait();
  }
  finished.out = ReadFile(directory.File("out"));
  finished.err = ReadFile(directory.File("err"));
  return finished;
}

ServerProcess::ServerProcess(const std::vector<std::string>& flags) {
  std::vector<std::string> command = {POSENC_SERVER, "--port", "0",
                                      "--port-file", directory_.File("port")};
  command.insert(command.end(), flags.begin(), flags.end());
  {
    const OwnedFd err(Create(directory_.File("err")));
    // The line comes when the server listens; the end, if it gives up.
    ReadyProgram program = StartProgram(command, err.get());
    process_ = std::move(program.process);
    start_line_ = std::move(program.line);
  }
  if (start_line_.empty()) {
    const int status = process_->Wait();
    throw std::runtime_error("posenc-server ended with " +
                             std::to_string(status) + ": " + Log());
  }
  std::string port = ReadFile(directory_.File("port"));
  port.pop_back();
  address_ = "127.0.0.1:" + port;
}

std::string ServerProcess::Log() const {
  return ReadFile(directory_.File("err"));
}

int ServerProcess::Terminate() {
  Signal(SIGTERM);
  return Wait();
}

}  // namespace posenc::testing
