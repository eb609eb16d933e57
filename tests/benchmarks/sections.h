#ifndef POSENC_TESTS_BENCHMARKS_SECTIONS_H_
#define POSENC_TESTS_BENCHMARKS_SECTIONS_H_

#include <cstdint>
#include <string>

#include "posenc/v1/positional_encoding.pb.h"
#include "tests/benchmarks/duel.h"
#include "tests/benchmarks/report.h"

namespace posenc::testing {

struct BenchmarkOptions {
  std::string program;  // this one: --peer and --bulk start others of it
  int rounds = 11;
};

// An EncodeRequest of embeddings.
v1::EncodeRequest EmbeddingsRequest(std::uint64_t batch, std::uint64_t sequence,
                                    std::uint64_t d_model, v1::DType dtype);
Load LoadOf(const std::string& name, const v1::EncodeRequest& request,
            int calls);

// Encode against echo: sizes, calls in flight, connections, TCP and unix.
void RunWire(const BenchmarkOptions& options, Report& report);

// Token ids against a server that sends a buffer of the answer's size.
void RunTokens(const BenchmarkOptions& options, Report& report);

// Turned heads against the same tensor with an encoding added.
void RunHeads(const BenchmarkOptions& options, Report& report);

// posenc's own client and server against an echo over one connection.
void RunClient(const BenchmarkOptions& options, Report& report);

// The first call after a second or so of silence.
void RunIdle(const BenchmarkOptions& options, Report& report);

// Small calls beside a caller of 48 MiB tensors.
void RunTail(const BenchmarkOptions& options, Report& report);

// The caller of those, as a process of its own; prints a line when it has
// begun, and ends when it is killed.
int RunBulk(const std::string& address);

// The first request of an encoding that no table has been built for.
void RunCold(const BenchmarkOptions& options, Report& report);

// Peak memory of the server under load.
void RunMemory(const BenchmarkOptions& options, Report& report);

// Cost against batch, sequence, d_model, cached encodings and connections.
void RunGrowth(const BenchmarkOptions& options, Report& report);

}  // namespace posenc::testing

#endif  // POSENC_TESTS_BENCHMARKS_SECTIONS_H_
