// Vectors of sines and cosines: of angles in turns, and of sums of angles.
// Included once per SIMD target.

#if defined(POSENC_SERVER_KERNELS_ANGLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SERVER_KERNELS_ANGLES_INL_H_
#undef POSENC_SERVER_KERNELS_ANGLES_INL_H_
#else
#define POSENC_SERVER_KERNELS_ANGLES_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "server/kernels/elements-inl.h"
#include "server/kernels/kernels.h"
#include "server/kernels/sin_cos.h"

#if !POSENC_PLAIN_TARGET

HWY_BEFORE_NAMESPACE();
namespace posenc::server {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sines and cosines of one vector of angles.
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

struct OrdinaryStore {
  static HWY_INLINE void Dense(const Angles& a, double* sin, double* cos) {
    hn::StoreU(a.sin, Doubles(), sin);
    hn::StoreU(a.cos, Doubles(), cos);
  }
  static HWY_INLINE void Interleaved(const Angles& a, double* pairs) {
    hn::StoreInterleaved2(a.sin, a.cos, Doubles(), pairs);
  }
};

// Past the caches. Addresses are aligned to vectors.
struct StreamingStore {
  static HWY_INLINE void Dense(const Angles& a, double* sin, double* cos) {
    hn::Stream(a.sin, Doubles(), sin);
    hn::Stream(a.cos, Doubles(), cos);
  }
  static HWY_INLINE void Interleaved(const Angles& a, double* pairs) {
    const Doubles d;
    HWY_ALIGN double block[2 * hn::MaxLanes(Doubles())];
    hn::StoreInterleaved2(a.sin, a.cos, d, block);
    const std::size_t lanes = hn::Lanes(d);
    hn::Stream(hn::Load(d, block), d, pairs);
    hn::Stream(hn::Load(d, block + lanes), d, pairs + lanes);
  }
};

template <typename Store>
void RotateWith(const double* sin_a, const double* cos_a, const double* sin_b,
                const double* cos_b, double* out_sin, double* out_cos,
                std::size_t stride, std::size_t n) {
  const std::size_t lanes = hn::Lanes(Doubles());
  const bool interleaved = stride == 2 && out_cos == out_sin + 1;
  std::size_t i = 0;
  if (stride == 1) {
    for (; n - i >= lanes; i += lanes) {
      Store::Dense(RotateVector(sin_a + i, cos_a + i, sin_b + i, cos_b + i),
                   out_sin + i, out_cos + i);
    }
  } else if (interleaved) {
    for (; n - i >= lanes; i += lanes) {
      Store::Interleaved(
          RotateVector(sin_a + i, cos_a + i, sin_b + i, cos_b + i),
          out_sin + 2 * i);
    }
  }
  ReferenceKernels().rotate(sin_a + i, cos_a + i, sin_b + i, cos_b + i,
                            out_sin + i * stride, out_cos + i * stride, stride,
                            n - i);
}

void Rotate(const double* sin_a, const double* cos_a, const double* sin_b,
            const double* cos_b, double* out_sin, double* out_cos,
            std::size_t stride, std::size_t n) {
  RotateWith<OrdinaryStore>(sin_a, cos_a, sin_b, cos_b, out_sin, out_cos,
                            stride, n);
}

HWY_INLINE bool IsAligned(const double* p) {
  const std::size_t vector_bytes = hn::Lanes(Doubles()) * sizeof(double);
  return reinterpret_cast<std::uintptr_t>(p) % vector_bytes == 0;
}

void RotateStreaming(const double* sin_a, const double* cos_a,
                     const double* sin_b, const double* cos_b, double* out_sin,
                     double* out_cos, std::size_t stride, std::size_t n) {
  const bool streams =
      IsAligned(out_sin) && (stride == 2 || IsAligned(out_cos));
  const auto rotate =
      streams ? &RotateWith<StreamingStore> : &RotateWith<OrdinaryStore>;
  rotate(sin_a, cos_a, sin_b, cos_b, out_sin, out_cos, stride, n);
}

#if HWY_NATIVE_FMA

struct DoubleDoubles {
  DoublesV hi;
  DoublesV lo;
};

// These follow the plain code of sin_cos.cc operation by operation.
HWY_INLINE DoubleDoubles TwoSums(DoublesV a, DoublesV b) {
  const auto sum = hn::Add(a, b);
  const auto b_part = hn::Sub(sum, a);
  const auto a_part = hn::Sub(sum, b_part);
  return {sum, hn::Add(hn::Sub(a, a_part), hn::Sub(b, b_part))};
}

template <std::size_t n>
HWY_INLINE DoublesV Horner(const double (&coefficients)[n], DoublesV x) {
  const Doubles d;
  auto value = hn::Set(d, coefficients[n - 1]);
  for (std::size_t i = n - 1; i-- > 0;) {
    value = hn::Add(hn::Mul(value, x), hn::Set(d, coefficients[i]));
  }
  return value;
}

HWY_INLINE Angles AnglesOfSmall(DoublesV hi, DoublesV lo) {
  const Doubles d;
  const auto one = hn::Set(d, 1);
  const auto square = hn::Mul(hi, hi);
  const auto half = hn::Mul(hn::Set(d, 0.5), square);
  const auto rest = hn::Sub(one, half);
  const auto sin_tail =
      hn::Add(hn::Mul(hn::Mul(hi, square), Horner(kSinSeries, square)),
              hn::Mul(lo, rest));
  const auto cos_tail =
      hn::Sub(hn::Mul(hn::Mul(square, square), Horner(kCosSeries, square)),
              hn::Mul(hi, lo));
  return {hn::Add(hi, sin_tail),
          hn::Add(rest, hn::Add(hn::Sub(hn::Sub(one, rest), half), cos_tail))};
}

// Turns the angles by a whole number of quarters.
HWY_INLINE Angles AddQuarters(const Angles& angles, DoublesV all_quarters) {
  const Doubles d;
  const auto one = hn::Set(d, 1);
  const auto turns = hn::Round(hn::Mul(hn::Set(d, 0.25), all_quarters));
  // From -2 to 2.
  const auto quarters = hn::Sub(all_quarters, hn::Mul(hn::Set(d, 4), turns));
  const auto odd = hn::Eq(hn::Abs(quarters), one);
  const auto half_turn = hn::Gt(hn::Abs(quarters), one);
  const auto minus_sin = hn::Or(half_turn, hn::Eq(quarters, hn::Neg(one)));
  const auto minus_cos = hn::Or(half_turn, hn::Eq(quarters, one));
  const auto sin = hn::IfThenElse(odd, angles.cos, angles.sin);
  const auto cos = hn::IfThenElse(odd, angles.sin, angles.cos);
  return {hn::IfThenElse(minus_sin, hn::Neg(sin), sin),
          hn::IfThenElse(minus_cos, hn::Neg(cos), cos)};
}

HWY_INLINE Angles AnglesOfTurns(const DoubleDoubles& position,
                                const DoubleDoubles& turns) {
  const Doubles d;
  const auto two_pi_hi = hn::Set(d, kTwoPi.hi);
  const auto product = hn::Mul(position.hi, turns.hi);
  const auto product_error = hn::MulSub(position.hi, turns.hi, product);
  const auto rest = hn::Add(
      product_error,
      hn::Add(hn::Mul(position.hi, turns.lo), hn::Mul(position.lo, turns.hi)));
  const auto turn = TwoSums(hn::Sub(product, hn::Round(product)), rest);
  const auto quarters = hn::Round(hn::Mul(hn::Set(d, 4), turn.hi));
  const auto part =
      TwoSums(hn::Sub(turn.hi, hn::Mul(hn::Set(d, 0.25), quarters)), turn.lo);
  const auto angle = hn::Mul(part.hi, two_pi_hi);
  const auto angle_error =
      hn::Add(hn::MulSub(part.hi, two_pi_hi, angle),
              hn::Add(hn::Mul(part.hi, hn::Set(d, kTwoPi.lo)),
                      hn::Mul(part.lo, two_pi_hi)));
  return AddQuarters(AnglesOfSmall(angle, angle_error), quarters);
}

void SinCosOfTurns(DoubleDouble position, const DoubleDouble* turns,
                   double* sin, double* cos, std::size_t n) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const DoubleDoubles positions{hn::Set(d, position.hi),
                                hn::Set(d, position.lo)};
  std::size_t i = 0;
  for (; n - i >= lanes; i += lanes) {
    DoubleDoubles t;
    hn::LoadInterleaved2(d, &turns[i].hi, t.hi, t.lo);
    OrdinaryStore::Dense(AnglesOfTurns(positions, t), sin + i, cos + i);
  }
  ReferenceKernels().sin_cos_of_turns(position, turns + i, sin + i, cos + i,
                                      n - i);
}

#else  // The plain code's exact products need fused multiply-adds.

void SinCosOfTurns(DoubleDouble position, const DoubleDouble* turns,
                   double* sin, double* cos, std::size_t n) {
  ReferenceKernels().sin_cos_of_turns(position, turns, sin, cos, n);
}

#endif  // HWY_NATIVE_FMA

}  // namespace HWY_NAMESPACE
}  // namespace posenc::server
HWY_AFTER_NAMESPACE();

#endif  // !POSENC_PLAIN_TARGET

#endif  // POSENC_SERVER_KERNELS_ANGLES_INL_H_
