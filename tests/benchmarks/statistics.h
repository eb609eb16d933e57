#ifndef POSENC_TESTS_BENCHMARKS_STATISTICS_H_
#define POSENC_TESTS_BENCHMARKS_STATISTICS_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace posenc::testing {

// The value below which `share` (0 … 1) of the values lie. REQUIRES: one value.
inline double Percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(share * last + 0.5)];
}

struct Spread {
  double low = 0;  // first quartile
  double median = 0;
  double high = 0;  // third quartile
};

inline Spread SpreadOf(const std::vector<double>& values) {
  return {Percentile(values, 0.25), Percentile(values, 0.5),
          Percentile(values, 0.75)};
}

}  // namespace posenc::testing

#endif  // POSENC_TESTS_BENCHMARKS_STATISTICS_H_
