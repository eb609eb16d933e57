#ifndef POSENC_TESTS_BENCHMARKS_CALLERS_H_
#define POSENC_TESTS_BENCHMARKS_CALLERS_H_

#include <grpcpp/channel.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace posenc::testing {

// Callers that send one raw message again and again, each waiting for its
// answer: a client that adds nothing, for posenc-server and its peers alike.
class Callers {
 public:
  // `in_flight` threads over `connections` TCP or unix connections.
  Callers(const std::string& address, int in_flight, int connections);

  // What one run took.
  struct Run {
    double seconds = 0;
    std::vector<double> latencies;  // of each call, in seconds
  };

  // `calls` calls of each caller, all callers at once. The program ends if one
  // fails or its answer is shorter than `answer_bytes`.
  Run Call(const std::string& message, int calls, std::size_t answer_bytes);

 private:
  const int in_flight_;
  std::vector<std::shared_ptr<grpc::Channel>> channels_;
};

}  // namespace posenc::testing

#endif  // POSENC_TESTS_BENCHMARKS_CALLERS_H_
