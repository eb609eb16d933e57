#ifndef POSENC_SERVER_CORE_ENCODINGS_ANGLE_WALK_H_
#define POSENC_SERVER_CORE_ENCODINGS_ANGLE_WALK_H_

// Angles of one integer position after another: from a few that are computed
// from scratch to all others by addition, which is as good and far quicker.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "server/core/encodings/exact_angle.h"
#include "server/kernels/kernels.h"

namespace posenc::server {

// Sines and cosines of one angle for each frequency.
struct SinesAndCosines {
  const double* sin = nullptr;
  const double* cos = nullptr;
};

// The angles of a position, each the sum of two. RotateFunction adds them.
struct AngleSum {
  SinesAndCosines a;
  SinesAndCosines b;
};

// The frequencies of an encoding, and the angles of its steps. Immutable.
class AngleSteps {
 public:
  // Angles are (position + start) * w_i.
  AngleSteps(Frequencies frequencies, std::int64_t start);

  const Frequencies& frequencies() const { return frequencies_; }
  std::size_t size() const { return frequencies_.turns.size(); }

  // What is held beside the object itself.
  std::uint64_t bytes() const;

  // Sines and cosines of any position, from scratch.
  void At(double position, double* sin, double* cos) const;

 private:
  friend class AngleWalk;

  // sin and cos of k * step * w_i, for k < count, as [count, size()] each.
  struct Steps {
    std::vector<double> sin;
    std::vector<double> cos;
  };

  Steps MakeSteps(std::int64_t step, std::size_t count) const;

  Frequencies frequencies_;
  double start_;
  Steps fine_;    // steps of 1
  Steps coarse_;  // steps of as many as are fine
};

// Keeps the angles that a position shares with the one before. Not thread-safe.
class AngleWalk {
 public:
  // `steps` must outlive it.
  explicit AngleWalk(const AngleSteps& steps);

  // Good until the next call. The same bits whatever came before.
  AngleSum At(std::int64_t position);

 private:
  void Enter(std::int64_t chunk, std::int64_t run);

  const AngleSteps& steps_;
  const std::size_t n_;
  const RotateFunction rotate_;
  std::int64_t chunk_ = std::numeric_limits<std::int64_t>::min();  // none
  std::int64_t run_ = -1;
  std::vector<double> chunk_sin_, chunk_cos_;  // at the chunk's first position
  std::vector<double> run_sin_, run_cos_;      // at the run's first position
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_ANGLE_WALK_H_
