#include "server/kernels/simd_kernels.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

// On x86: SSE4, AVX2 and AVX3 (AVX-512 of Skylake and later). SSSE3 is left
// out, since every CPU of the last fifteen years that has it has SSE4 too.
#define HWY_DISABLED_TARGETS HWY_SSSE3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/kernels/simd_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "server/kernels/elements-inl.h"

// Highway's scalar target, its fallback, saturates where infinities are due.
// The plain loops are that target here.
#undef POSENC_PLAIN_TARGET
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
#define POSENC_PLAIN_TARGET 1
#else
#define POSENC_PLAIN_TARGET 0
#endif

HWY_BEFORE_NAMESPACE();
namespace posenc::server {
namespace HWY_NAMESPACE {

#if POSENC_PLAIN_TARGET

const Kernels& TargetKernels() { return ReferenceKernels(); }

#else

namespace hn = hwy::HWY_NAMESPACE;

template <typename In, typename Out>
HWY_INLINE void AddVector(const typename In::Bits* in, const double* encoding,
                          DoublesV scale, typename Out::Bits* out) {
  const auto product = hn::Mul(scale, In::Load(in));
  Out::Store(hn::Add(product, hn::LoadU(Doubles(), encoding)), out);
}

// Fewer elements than a vector, through memory of a vector's size.
template <typename In, typename Out>
HWY_INLINE void AddTail(const typename In::Bits* in, const double* encoding,
                        DoublesV scale, typename Out::Bits* out,
                        std::size_t n) {
  constexpr std::size_t kMax = hn::MaxLanes(Doubles());
  typename In::Bits in_block[kMax] = {};
  double encoding_block[kMax] = {};
  typename Out::Bits out_block[kMax];
  std::memcpy(in_block, static_cast<const void*>(in), n * sizeof(*in));
  std::memcpy(encoding_block, static_cast<const void*>(encoding),
              n * sizeof(*encoding));
  AddVector<In, Out>(in_block, encoding_block, scale, out_block);
  std::memcpy(static_cast<void*>(out), out_block, n * sizeof(*out));
}

template <typename In, typename Out>
void Add(const void* in_elements, const double* encoding, double scale,
         void* out_elements, std::size_t n) {
  const auto* in = static_cast<const typename In::Bits*>(in_elements);
  auto* out = static_cast<typename Out::Bits*>(out_elements);
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const auto scales = hn::Set(d, scale);
  std::size_t i = 0;
  for (; n - i >= 4 * lanes; i += 4 * lanes) {
    for (std::size_t k = i; k < i + 4 * lanes; k += lanes) {
      AddVector<In, Out>(in + k, encoding + k, scales, out + k);
    }
  }
  for (; n - i >= lanes; i += lanes) {
    AddVector<In, Out>(in + i, encoding + i, scales, out + i);
  }
  if (i < n) AddTail<In, Out>(in + i, encoding + i, scales, out + i, n - i);
}

// The sines and cosines of one vector of angle sums.
struct Angles {
  DoublesV sin;
  DoublesV cos;
};

HWY_INLINE Angles RotateVector(const double* sin_a, const double* cos_a,
                               const double* sin_b, const double* cos_b) {
  const Doubles d;
  const auto sa = hn::LoadU(d, sin_a);
  const auto ca = hn::LoadU(d, cos_a);
  const auto sb = hn::LoadU(d, sin_b);
  const auto cb = hn::LoadU(d, cos_b);
  return {hn::Add(hn::Mul(sa, cb), hn::Mul(ca, sb)),
          hn::Sub(hn::Mul(ca, cb), hn::Mul(sa, sb))};
}

void Rotate(const double* sin_a, const double* cos_a, const double* sin_b,
            const double* cos_b, double* out_sin, double* out_cos,
            std::size_t stride, std::size_t n) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const bool dense = stride == 1;
  const bool interleaved = stride == 2 && out_cos == out_sin + 1;
  std::size_t i = 0;
  for (; (dense || interleaved) && n - i >= lanes; i += lanes) {
    const Angles sum = RotateVector(sin_a + i, cos_a + i, sin_b + i, cos_b + i);
    if (dense) {
      hn::StoreU(sum.sin, d, out_sin + i);
      hn::StoreU(sum.cos, d, out_cos + i);
    } else {
      hn::StoreInterleaved2(sum.sin, sum.cos, d, out_sin + 2 * i);
    }
  }
  ReferenceKernels().rotate(sin_a + i, cos_a + i, sin_b + i, cos_b + i,
                            out_sin + i * stride, out_cos + i * stride, stride,
                            n - i);
}

template <typename In>
constexpr void FillRow(AddFunction (&row)[kFloatDTypes]) {
  row[static_cast<int>(DType::kFloat32)] = &Add<In, Float32>;
  row[static_cast<int>(DType::kFloat16)] = &Add<In, Float16>;
  row[static_cast<int>(DType::kBFloat16)] = &Add<In, BFloat16>;
  row[static_cast<int>(DType::kFloat64)] = &Add<In, Float64>;
}

Kernels MakeKernels() {
  Kernels kernels{hwy::TargetName(HWY_TARGET), {}, &Rotate};
  FillRow<Float32>(kernels.add[static_cast<int>(DType::kFloat32)]);
  FillRow<Float16>(kernels.add[static_cast<int>(DType::kFloat16)]);
  FillRow<BFloat16>(kernels.add[static_cast<int>(DType::kBFloat16)]);
  FillRow<Float64>(kernels.add[static_cast<int>(DType::kFloat64)]);
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
