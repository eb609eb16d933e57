#include "server/kernels/simd_kernels.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/kernels/simd_kernels.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "server/kernels/angles-inl.h"
#include "server/kernels/blocks-inl.h"
#include "server/kernels/elements-inl.h"
#include "server/kernels/round_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::server {
namespace HWY_NAMESPACE {

#if POSENC_PLAIN_TARGET

const Kernels& TargetKernels() { return ReferenceKernels(); }

#else

namespace hn = hwy::HWY_NAMESPACE;

template <typename In, typename Scale>
HWY_INLINE DoublesV Sum(const typename In::Bits* in, const double* encoding,
                        Scale scale) {
  return hn::Add(scale(In::Load(in)), hn::LoadU(Doubles(), encoding));
}

template <typename In, typename Out, typename Scale>
HWY_INLINE void AddVector(const typename In::Bits* in, const double* encoding,
                          Scale scale, typename Out::Bits* out) {
  Out::Store(Sum<In>(in, encoding, scale), out);
}

// Adds a block of kBlock vectors.
template <typename In, typename Out, typename Scale>
HWY_INLINE void AddBlock(const typename In::Bits* in, const double* encoding,
                         Scale scale, typename Out::Bits* out) {
  const std::size_t lanes = hn::Lanes(Doubles());
  if constexpr (kRoundsFromFloats<Out>) {
    const hn::Half<WideFloats> half;
    WideFloatsV floats[kBlock / 2];
    for (std::size_t i = 0; i < kBlock / 2; ++i) {
      const std::size_t at = 2 * i * lanes;
      const auto low = Sum<In>(in + at, encoding + at, scale);
      const auto high = Sum<In>(in + at + lanes, encoding + at + lanes, scale);
      floats[i] = hn::Combine(WideFloats(), hn::DemoteTo(half, high),
                              hn::DemoteTo(half, low));
    }
    auto* high = out + kBlock / 2 * lanes;
    if (HWY_LIKELY(StoreUnlessTied(Out(), floats, out, high))) return;
  }
  for (std::size_t i = 0; i < kBlock * lanes; i += lanes) {
    AddVector<In, Out>(in + i, encoding + i, scale, out + i);
  }
}

// Adds all but fewer elements than a vector; returns how many.
// Inline, because GCC leaves the upper halves of registers dirty after a call
// with a vector for an argument, which costs 100 ns in the code that follows.
template <typename In, typename Out, typename Scale>
HWY_INLINE std::size_t AddVectors(const typename In::Bits* in,
                                  const double* encoding, Scale scale,
                                  typename Out::Bits* out, std::size_t n) {
  const std::size_t lanes = hn::Lanes(Doubles());
  const std::size_t block = kBlock * lanes;
  std::size_t i = 0;
  for (; n - i >= block; i += block) {
    if (kRoundsFromFloats<Out> && n - i >= kPrefetchDistance + block) {
      PrefetchElements(in + i + kPrefetchDistance, block);
      PrefetchElements(encoding + i + kPrefetchDistance, block);
    }
    AddBlock<In, Out>(in + i, encoding + i, scale, out + i);
  }
  for (; n - i >= lanes; i += lanes) {
    AddVector<In, Out>(in + i, encoding + i, scale, out + i);
  }
  return i;
}

template <typename In, typename Out>
void Add(const void* in, const double* encoding, double scale, void* out,
         std::size_t n) {
  const auto* from = static_cast<const typename In::Bits*>(in);
  auto* to = static_cast<typename Out::Bits*>(out);
  const std::size_t done =
      scale == 1 ? AddVectors<In, Out>(from, encoding, Unscaled(), to, n)
                 : AddVectors<In, Out>(from, encoding, Scaled(scale), to, n);
  ReferenceKernels().Add(In::kDType, Out::kDType)(from + done, encoding + done,
                                                  scale, to + done, n - done);
}

// In rotate_pairs.cc.
void FillRotatePairs(Kernels& kernels);

template <typename In>
constexpr void FillRow(AddFunction (&row)[kFloatDTypes]) {
  row[static_cast<int>(DType::kFloat32)] = &Add<In, Float32>;
  row[static_cast<int>(DType::kFloat16)] = &Add<In, Float16>;
  row[static_cast<int>(DType::kBFloat16)] = &Add<In, BFloat16>;
  row[static_cast<int>(DType::kFloat64)] = &Add<In, Float64>;
}

Kernels MakeKernels() {
  Kernels kernels{hwy::TargetName(HWY_TARGET),
                  {},
                  &Rotate,
                  &RotateStreaming,
                  &SinCosOfTurns,
                  {}};
  FillRow<Float32>(kernels.add[static_cast<int>(DType::kFloat32)]);
  FillRow<Float16>(kernels.add[static_cast<int>(DType::kFloat16)]);
  FillRow<BFloat16>(kernels.add[static_cast<int>(DType::kBFloat16)]);
  FillRow<Float64>(kernels.add[static_cast<int>(DType::kFloat64)]);
  FillRotatePairs(kernels);
  return kernels;
}

const Kernels& TargetKernels() {
  static const Kernels kernels = MakeKernels();
  return kernels;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace posenc::server
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace posenc::server {

HWY_EXPORT(TargetKernels);

void FinishStreaming() { hwy::FlushStream(); }

std::vector<const Kernels*> SimdKernels() {
  std::vector<const Kernels*> all;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::GetChosenTarget().Update(target);
    const Kernels* kernels = &HWY_DYNAMIC_DISPATCH(TargetKernels)();
    if (kernels != &ReferenceKernels()) all.push_back(kernels);
  }
  return all;
}

}  // namespace posenc::server

#endif  // HWY_ONCE
