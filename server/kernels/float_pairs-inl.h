// Adjacent pairs of elements as vectors of floats, one of the first elements
// and one of the second. Included once per SIMD target.

#if defined(POSENC_SERVER_KERNELS_FLOAT_PAIRS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SERVER_KERNELS_FLOAT_PAIRS_INL_H_
#undef POSENC_SERVER_KERNELS_FLOAT_PAIRS_INL_H_
#else
#define POSENC_SERVER_KERNELS_FLOAT_PAIRS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "server/kernels/elements-inl.h"
#include "server/kernels/round_floats-inl.h"

#if !POSENC_PLAIN_TARGET

HWY_BEFORE_NAMESPACE();
namespace posenc::server {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct FloatPairs {
  WideFloatsV first;
  WideFloatsV second;
};

// Whether LoadFloatPairs is there for an element type.
template <typename Element>
inline constexpr bool kHasFloatPairs = false;

template <>
inline constexpr bool kHasFloatPairs<Float32> = true;

HWY_INLINE FloatPairs LoadFloatPairs(Float32, const float* from) {
  const WideFloats df;
  const auto low = hn::LoadU(df, from);
  const auto high = hn::LoadU(df, from + hn::Lanes(df));
  return {hn::ConcatEven(df, high, low), hn::ConcatOdd(df, high, low)};
}

template <>
inline constexpr bool kHasFloatPairs<BFloat16> = true;

HWY_INLINE FloatPairs LoadFloatPairs(BFloat16, const std::uint16_t* from) {
  const WideFloats df;
  const WideWords du;
  const auto words = hn::BitCast(du, hn::LoadU(WordHalves(), from));
  return {hn::BitCast(df, hn::ShiftLeft<16>(words)),
          hn::BitCast(df, hn::And(words, hn::Set(du, 0xFFFF0000u)))};
}

// As StoreUnlessTied, which is there for the same element types, of vectors of
// first elements and of second ones in turns.
template <std::size_t kCount>
HWY_INLINE bool StorePairsUnlessTied(BFloat16,
                                     const WideFloatsV (&floats)[kCount],
                                     std::uint16_t* to) {
  const WideWords du;
  const WordHalves dh;
  hn::Vec<WordHalves> rounded[kCount];
  if (!RoundUnlessTied(floats, rounded)) return false;
  for (std::size_t i = 0; i < kCount; i += 2) {
    const auto first =
        hn::BitCast(dh, hn::ShiftRight<16>(hn::BitCast(du, rounded[i])));
    hn::StoreU(hn::OddEven(rounded[i + 1], first), dh,
               to + i * hn::Lanes(WideFloats()));
  }
  return true;
}

#if POSENC_NATIVE_F16

template <>
inline constexpr bool kHasFloatPairs<Float16> = true;

HWY_INLINE FloatPairs LoadFloatPairs(Float16, const std::uint16_t* from) {
  const WideFloats df;
  const hn::Rebind<hwy::float16_t, WideFloats> df16;
  const hn::Rebind<std::uint16_t, WideFloats> bits;
  const auto load = [&](const std::uint16_t* at) HWY_ATTR {
    return hn::PromoteTo(df, hn::BitCast(df16, hn::LoadU(bits, at)));
  };
  const auto low = load(from);
  const auto high = load(from + hn::Lanes(df));
  return {hn::ConcatEven(df, high, low), hn::ConcatOdd(df, high, low)};
}

template <std::size_t kCount>
HWY_INLINE bool StorePairsUnlessTied(Float16,
                                     const WideFloatsV (&floats)[kCount],
                                     std::uint16_t* to) {
  if (AnyTiedF16(floats)) return false;
  const hn::Rebind<hwy::float16_t, WideFloats> df16;
  const hn::Rebind<std::uint16_t, WideFloats> bits;
  for (std::size_t i = 0; i < kCount; i += 2) {
    hn::StoreInterleaved2(hn::BitCast(bits, hn::DemoteTo(df16, floats[i])),
                          hn::BitCast(bits, hn::DemoteTo(df16, floats[i + 1])),
                          bits, to + i * hn::Lanes(WideFloats()));
  }
  return true;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace posenc::server
HWY_AFTER_NAMESPACE();

#endif

#endif  // POSENC_SERVER_KERNELS_FLOAT_PAIRS_INL_H_
