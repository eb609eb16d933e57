#include "tests/benchmarks/duel.h"

#include <ctime>
#include <memory>
#include <stdexcept>

#include "tests/benchmarks/callers.h"

namespace posenc::testing {
namespace {

double CpuSeconds(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) throw std::runtime_error("no clock");
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

// One side of the duel, and all that it took so far.
class Fighter {
 public:
  Fighter(const Load& load, const Side& side, int in_flight, int connections)
      : load_(load),
        calls_(load.calls * in_flight),
        callers_(side.address, in_flight, connections) {
    if (clock_getcpuclockid(side.pid, &server_clock_) != 0) {
      throw std::runtime_error("the server has no CPU clock");
    }
    // Connects, builds the table, and fills the pools.
    callers_.Call(load_.message, load_.calls, load_.answer_bytes);
  }

  // Calls a second.
  double Round() {
    const double server = CpuSeconds(server_clock_);
    const double client = CpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
    const Callers::Run run =
        callers_.Call(load_.message, load_.calls, load_.answer_bytes);
    server_cpu_ += CpuSeconds(server_clock_) - server;
    client_cpu_ += CpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - client;
    latencies_.insert(latencies_.end(), run.latencies.begin(),
                      run.latencies.end());
    rates_.push_back(calls_ / run.seconds);
    return rates_.back();
  }

  Figures Result() const {
    Figures figures;
    figures.calls_a_second = SpreadOf(rates_);
    const double megabytes = static_cast<double>(load_.payload_bytes) / 1e6;
    std::vector<double> megabyte_rates;
    for (const double rate : rates_) megabyte_rates.push_back(rate * megabytes);
    figures.megabytes_a_second = SpreadOf(megabyte_rates);
    figures.p50_ms = 1e3 * Percentile(latencies_, 0.5);
    figures.p99_ms = 1e3 * Percentile(latencies_, 0.99);
    const double calls = calls_ * static_cast<double>(rates_.size());
    figures.server_cpu_us_a_call = 1e6 * server_cpu_ / calls;
    figures.client_cpu_us_a_call = 1e6 * client_cpu_ / calls;
    figures.server_cpu_s_a_gb = server_cpu_ / (calls * megabytes / 1e3);
    figures.client_cpu_s_a_gb = client_cpu_ / (calls * megabytes / 1e3);
    return figures;
  }

 private:
  const Load& load_;
  const double calls_;
  Callers callers_;
  clockid_t server_clock_{};
  double server_cpu_ = 0;
  double client_cpu_ = 0;
  std::vector<double> latencies_;
  std::vector<double> rates_;
};

}  // namespace

std::vector<Outcome> Duel(const Load& load, const std::vector<Side>& sides,
                          int in_flight, int connections, int rounds) {
  std::vector<std::unique_ptr<Fighter>> fighters;
  for (const Side& side : sides) {
    fighters.push_back(
        std::make_unique<Fighter>(load, side, in_flight, connections));
  }
  const std::size_t n = sides.size();
  std::vector<std::vector<double>> ratios(n);
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> rates(n);
    // Whoever goes later may find the caches warmer.
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = (static_cast<std::size_t>(round) + k) % n;
      rates[i] = fighters[i]->Round();
    }
    for (std::size_t i = 0; i < n; ++i) {
      ratios[i].push_back(rates[0] / rates[i]);
    }
  }
  std::vector<Outcome> outcomes;
  const Figures first = fighters[0]->Result();
  for (std::size_t i = 0; i < n; ++i) {
    const Figures figures = fighters[i]->Result();
    outcomes.push_back({.figures = figures,
                        .rate_ratio = SpreadOf(ratios[i]),
                        .p50_ratio = first.p50_ms / figures.p50_ms,
                        .p99_ratio = first.p99_ms / figures.p99_ms});
  }
  return outcomes;
}

}  // namespace posenc::testing
