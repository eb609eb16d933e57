#ifndef POSENC_SERVER_KERNELS_KERNELS_H_
#define POSENC_SERVER_KERNELS_KERNELS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/base/dtype.h"
#include "server/kernels/sin_cos.h"

// Loops over contiguous elements. Pointers may have any alignment and must not
// overlap unless said. Every target gives the same bits as the plain reference:
// products and sums are rounded separately, never fused.
namespace posenc::server {

// out[i] = round(scale * in[i] + encoding[i]) for n elements: in and out are of
// the types the function was chosen for, the arithmetic is double, and the
// result is rounded once, to nearest even. NaN stays NaN, with a payload that
// may differ between targets. out may be in where the two types have the same
// size.
using AddFunction = void (*)(const void* in, const double* encoding,
                             double scale, void* out, std::size_t n);

// Angle addition for n angles: sin(a+b) and cos(a+b) from those of a and b.
// A stride of 1 writes sines and cosines densely; a stride of 2 writes every
// other element (for interleaved rows, out_cos is then out_sin + 1).
using RotateFunction = void (*)(const double* sin_a, const double* cos_a,
                                const double* sin_b, const double* cos_b,
                                double* out_sin, double* out_cos,
                                std::size_t stride, std::size_t n);

// Which channels of a row make a pair: 2i and 2i + 1, or i and i + pairs.
enum class Pairing { kAdjacent, kHalves };
inline constexpr int kPairings = 2;

// Rows whose pairs of channels are to be turned.
struct PairRows {
  std::size_t rows = 0;
  std::size_t width = 0;  // elements of a row; rows follow each other
  std::size_t pairs = 0;  // 2 * pairs <= width
  // Doubles from the encoding of a row to that of the next: 0 if all share one.
  std::size_t encoding_stride = 0;
  double scale = 1;
};

// Turns each pair (a, b) of scale * in by the angle whose cosine and sine are
// c = encoding[i] and s = encoding[pairs + i] of its row:
//
//   (a, b) -> (a * c - b * s, a * s + b * c)
//
// The other channels, from 2 * pairs on, are scale * in. Products and sums are
// each rounded to double and the results once to the output's type, as
// AddFunction's are. out may be in where the two types have the same size.
// Without pairs, the encoding is not read.
using RotatePairsFunction = void (*)(const void* in, const double* encoding,
                                     const PairRows& rows, void* out);

// sin and cos of 2π * position * turns[i] for n angles.
using SinCosFunction = void (*)(DoubleDouble position,
                                const DoubleDouble* turns, double* sin,
                                double* cos, std::size_t n);

struct Kernels {
  absl::string_view target;  // "AVX2"; "reference" for the plain loops
  AddFunction add[kFloatDTypes][kFloatDTypes];  // [input dtype][output dtype]
  RotateFunction rotate;
  // Writes past the caches where it can. Other threads may see that only after
  // FinishStreaming on this one.
  RotateFunction rotate_streaming;
  SinCosFunction sin_cos_of_turns;

  // [pairing][input dtype][output dtype]
  RotatePairsFunction rotate_pairs[kPairings][kFloatDTypes][kFloatDTypes];

  AddFunction Add(DType in, DType out) const {
    return add[static_cast<int>(in)][static_cast<int>(out)];
  }
  RotatePairsFunction RotatePairs(Pairing pairing, DType in, DType out) const {
    return rotate_pairs[static_cast<int>(pairing)][static_cast<int>(in)]
                       [static_cast<int>(out)];
  }
};

// Orders the calling thread's writes past the caches before its later ones.
void FinishStreaming();

// The plain loops, for tests and for comparison.
const Kernels& ReferenceKernels();

// Targets that this machine can run, best first, without the reference.
std::vector<std::string> SupportedTargets();

// Makes ActiveKernels those of a supported target or of "reference".
// INVALID_ARGUMENT, with the known names, for another; FAILED_PRECONDITION
// after the first call of ActiveKernels.
absl::Status ForceTarget(absl::string_view target);

// The kernels in use: of the best target, unless one was forced before the
// first call. Fixed for the life of the process after that.
const Kernels& ActiveKernels();

// Kernels of the given supported target or of "reference", for tests and
// benchmarks; nullptr if this machine cannot run it.
const Kernels* KernelsFor(absl::string_view target);

}  // namespace posenc::server

#endif  // POSENC_SERVER_KERNELS_KERNELS_H_
