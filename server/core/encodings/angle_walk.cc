#include "server/core/encodings/angle_walk.h"

#include <utility>

#include "server/base/limits.h"
#include "server/core/encodings/encoding.h"

namespace posenc::server {
namespace {

// A row is reached from its chunk's first position in two angle additions: one
// by a multiple of kFineSteps, one by less. Two roundings of 2e-16 each, beside
// those of the seeds, stay within 1e-15.
constexpr std::int64_t kFineSteps = 16;
constexpr std::int64_t kCoarseSteps = kChunkRows / kFineSteps;
static_assert(kFineSteps * kCoarseSteps == kChunkRows);

}  // namespace

AngleSteps::AngleSteps(Frequencies frequencies, std::int64_t start)
    : frequencies_(std::move(frequencies)),
      start_(static_cast<double>(start)),
      fine_(MakeSteps(1, kFineSteps)),
      coarse_(MakeSteps(kFineSteps, kCoarseSteps)) {}

AngleSteps::Steps AngleSteps::MakeSteps(std::int64_t step,
                                        std::size_t count) const {
  Steps steps;
  steps.sin.resize(count * size());
  steps.cos.resize(count * size());
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = k * size();
    SinCosOfTurns(static_cast<double>(static_cast<std::int64_t>(k) * step), 0,
                  frequencies_.turns, steps.sin.data() + at,
                  steps.cos.data() + at);
  }
  return steps;
}

std::uint64_t AngleSteps::bytes() const {
  return size() * (sizeof(double) + sizeof(DoubleDouble)) +
         (fine_.sin.size() + coarse_.sin.size()) * 2 * sizeof(double);
}

void AngleSteps::At(double position, double* sin, double* cos) const {
  SinCosOfTurns(position, start_, frequencies_.turns, sin, cos);
}

AngleWalk::AngleWalk(const AngleSteps& steps)
    : steps_(steps),
      n_(steps.size()),
      rotate_(ActiveKernels().rotate),
      chunk_sin_(n_),
      chunk_cos_(n_),
      run_sin_(n_),
      run_cos_(n_) {}

AngleSum AngleWalk::At(std::int64_t position) {
  const std::int64_t chunk = ChunkOf(position);
  const std::int64_t within = position - chunk * kChunkRows;
  Enter(chunk, within / kFineSteps);
  const std::size_t at = static_cast<std::size_t>(within % kFineSteps) * n_;
  return {{run_sin_.data(), run_cos_.data()},
          {steps_.fine_.sin.data() + at, steps_.fine_.cos.data() + at}};
}

void AngleWalk::Enter(std::int64_t chunk, std::int64_t run) {
  if (chunk != chunk_) {
    steps_.At(static_cast<double>(chunk * kChunkRows), chunk_sin_.data(),
              chunk_cos_.data());
    chunk_ = chunk;
    run_ = -1;
  }
  if (run != run_) {
    const std::size_t at = static_cast<std::size_t>(run) * n_;
    rotate_(chunk_sin_.data(), chunk_cos_.data(),
            steps_.coarse_.sin.data() + at, steps_.coarse_.cos.data() + at,
            run_sin_.data(), run_cos_.data(), 1, n_);
    run_ = run;
  }
}

}  // namespace posenc::server
