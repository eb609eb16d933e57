// Doubles rounded to the 16-bit types by way of float, which is faster than at
// once. Included once per SIMD target.

#if defined(POSENC_SERVER_KERNELS_ROUND_FLOATS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SERVER_KERNELS_ROUND_FLOATS_INL_H_
#undef POSENC_SERVER_KERNELS_ROUND_FLOATS_INL_H_
#else
#define POSENC_SERVER_KERNELS_ROUND_FLOATS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "server/kernels/elements-inl.h"

#if !POSENC_PLAIN_TARGET

HWY_BEFORE_NAMESPACE();
namespace posenc::server {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Full vectors of floats: as many as two vectors of doubles have.
using WideFloats = hn::ScalableTag<float>;
using WideFloatsV = hn::Vec<WideFloats>;
using WideWords = hn::RebindToUnsigned<WideFloats>;
using WordHalves = hn::Repartition<std::uint16_t, WideFloats>;

// Whether StoreUnlessTied is there for an element type.
//
// A tie, halfway between two elements, is a float. So a double and the float
// nearest to it are on the same side of every tie, and round to one element,
// unless that float is a tie itself.
template <typename Element>
inline constexpr bool kRoundsFromFloats = false;

// Whether the less significant half of any word is zero.
HWY_INLINE bool AnyLowHalfIsZero(hn::Vec<WordHalves> halves) {
  const WideWords du;
  const auto low = hn::ShiftLeft<16>(hn::BitCast(du, halves));
  return !hn::AllFalse(du, hn::Eq(low, hn::Zero(du)));
}

template <>
inline constexpr bool kRoundsFromFloats<BFloat16> = true;

// Rounds floats to bfloat16, in the upper halves of words. False if any may be
// a tie, or NaN.
template <std::size_t kCount>
HWY_INLINE bool RoundUnlessTied(const WideFloatsV (&floats)[kCount],
                                hn::Vec<WordHalves> (&rounded)[kCount]) {
  const WideFloats df;
  const WideWords du;
  const WordHalves dh;
  const auto half = hn::Set(du, 0x8000u);
  auto rest = hn::Set(dh, 0xFFFFu);
  auto sum = hn::Zero(df);
  for (std::size_t i = 0; i < kCount; ++i) {
    rounded[i] = hn::BitCast(dh, hn::Add(hn::BitCast(du, floats[i]), half));
    rest = hn::Min(rest, rounded[i]);
    sum = hn::Add(sum, floats[i]);
  }
  // NaN could carry into its sign; the sum is NaN if any of the floats is.
  const bool any_nan = !hn::AllFalse(df, hn::IsNaN(sum));
  return HWY_LIKELY(!any_nan && !AnyLowHalfIsZero(rest));
}

// Rounds floats to the nearest elements and stores them, the first half of the
// vectors at `low` and the others at `high`. False, and nothing is stored, if
// any may be a tie, or NaN.
template <std::size_t kCount>
HWY_INLINE bool StoreUnlessTied(BFloat16, const WideFloatsV (&floats)[kCount],
                                std::uint16_t* low, std::uint16_t* high) {
  static_assert(kCount % 4 == 0);
  const WordHalves dh;
  hn::Vec<WordHalves> rounded[kCount];
  if (!RoundUnlessTied(floats, rounded)) return false;
  constexpr std::size_t kHalf = kCount / 2;
  for (std::size_t i = 0; i < kHalf; i += 2) {
    const std::size_t at = i * hn::Lanes(WideFloats());
    const std::size_t k = i + kHalf;
    hn::StoreU(hn::ConcatOdd(dh, rounded[i + 1], rounded[i]), dh, low + at);
    hn::StoreU(hn::ConcatOdd(dh, rounded[k + 1], rounded[k]), dh, high + at);
  }
  return true;
}

#if POSENC_NATIVE_F16

template <>
inline constexpr bool kRoundsFromFloats<Float16> = true;

// Whether any of the floats may be a tie, or NaN.
template <std::size_t kCount>
HWY_INLINE bool AnyTiedF16(const WideFloatsV (&floats)[kCount]) {
  const WideWords du;
  const WordHalves dh;
  // Twice the bits, to drop the sign, of a tie end in 0x2000. What is below the
  // least normal element, 2^-14, is taken for a tie, except for what wraps
  // around: zero, and floats that are far less than half of any element.
  const auto tie = hn::Set(du, 0x2000u);
  const auto least_normal = hn::Set(du, 0x38800000u << 1);
  auto rest = hn::Set(dh, 0xFFFFu);
  for (const WideFloatsV& values : floats) {
    const auto magnitude = hn::ShiftLeft<1>(hn::BitCast(du, values));
    const auto distance = hn::Max(hn::Sub(magnitude, tie), least_normal);
    rest = hn::Min(rest, hn::ShiftLeft<2>(hn::BitCast(dh, distance)));
  }
  return HWY_UNLIKELY(AnyLowHalfIsZero(rest));
}

template <std::size_t kCount>
HWY_INLINE bool StoreUnlessTied(Float16, const WideFloatsV (&floats)[kCount],
                                std::uint16_t* low, std::uint16_t* high) {
  if (AnyTiedF16(floats)) return false;
  const hn::Rebind<hwy::float16_t, WideFloats> df16;
  const hn::Rebind<std::uint16_t, WideFloats> bits;
  constexpr std::size_t kHalf = kCount / 2;
  for (std::size_t i = 0; i < kHalf; ++i) {
    const std::size_t at = i * hn::Lanes(WideFloats());
    hn::StoreU(hn::BitCast(bits, hn::DemoteTo(df16, floats[i])), bits,
               low + at);
    hn::StoreU(hn::BitCast(bits, hn::DemoteTo(df16, floats[i + kHalf])), bits,
               high + at);
  }
  return true;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace posenc::server
HWY_AFTER_NAMESPACE();

#endif

#endif  // POSENC_SERVER_KERNELS_ROUND_FLOATS_INL_H_
