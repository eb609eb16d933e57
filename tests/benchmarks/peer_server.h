#ifndef POSENC_TESTS_BENCHMARKS_PEER_SERVER_H_
#define POSENC_TESTS_BENCHMARKS_PEER_SERVER_H_

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/server_process.h"

namespace posenc::testing {

// As many as posenc-server has: one for two cores.
int DefaultThreads();

// What the transport alone costs: a server on raw messages, of the same flags,
// queues and threads as posenc-server, that computes nothing.
struct PeerOptions {
  // Each polls a completion queue of its own. Default: as posenc-server's.
  int threads = DefaultThreads();
  std::size_t answer_bytes = 0;  // 0: sends back what came, by reference
  std::string unix_socket;       // empty: a free port of 127.0.0.1
  bool tuned = false;            // with the process settings of posenc-server
};

// Serves until it is killed; prints its address when it listens. PeerProcess
// knows the words.
int RunPeer(const std::vector<std::string>& words);

// A peer as a process of its own: `program` run with --peer and the options.
class PeerProcess {
 public:
  PeerProcess(const std::string& program, const PeerOptions& options);
  const std::string& address() const { return address_; }
  pid_t pid() const { return process_->pid(); }

 private:
  std::unique_ptr<Process> process_;
  std::string address_;
};

}  // namespace posenc::testing

#endif  // POSENC_TESTS_BENCHMARKS_PEER_SERVER_H_
