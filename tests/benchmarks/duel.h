#ifndef POSENC_TESTS_BENCHMARKS_DUEL_H_
#define POSENC_TESTS_BENCHMARKS_DUEL_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/benchmarks/statistics.h"

namespace posenc::testing {

// What posenc-server and its peers are given, in turns.
struct Load {
  std::string name;               // "8x128x768 f32"
  std::string message;            // an EncodeRequest
  std::size_t payload_bytes = 0;  // one way; of the answer for token ids
  std::size_t answer_bytes = 0;
  int calls = 1;  // of each caller in a round
};

struct Side {
  std::string address;
  pid_t pid = 0;  // of the server
};

// What one side took, over all rounds.
struct Figures {
  Spread megabytes_a_second;
  Spread calls_a_second;
  double p50_ms = 0;
  double p99_ms = 0;
  double server_cpu_us_a_call = 0;
  double client_cpu_us_a_call = 0;
  double server_cpu_s_a_gb = 0;
  double client_cpu_s_a_gb = 0;
};

// One side's figures, and how the first side's compare.
struct Outcome {
  Figures figures;
  Spread rate_ratio;  // first / this, of each round
  double p50_ratio = 0;
  double p99_ratio = 0;
};

// An outcome for each side, which take turns at going first.
std::vector<Outcome> Duel(const Load& load, const std::vector<Side>& sides,
                          int in_flight, int connections, int rounds);

}  // namespace posenc::testing

#endif  // POSENC_TESTS_BENCHMARKS_DUEL_H_
