// Vectors of elements of every floating-point type, read and written as
// doubles. Included once per SIMD target.

#if defined(POSENC_SERVER_KERNELS_ELEMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SERVER_KERNELS_ELEMENTS_INL_H_
#undef POSENC_SERVER_KERNELS_ELEMENTS_INL_H_
#else
#define POSENC_SERVER_KERNELS_ELEMENTS_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "server/base/dtype.h"

// Highway's scalar target, its fallback, saturates where infinities are due.
// The plain loops are that target here.
#undef POSENC_PLAIN_TARGET
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
#define POSENC_PLAIN_TARGET 1
#else
#define POSENC_PLAIN_TARGET 0
#endif

// Highway's conversions between float and f16 are the CPU's own where it has
// them; elsewhere they truncate and know no infinities, so they are not used.
#undef POSENC_NATIVE_F16
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
#define POSENC_NATIVE_F16 1
#else
#define POSENC_NATIVE_F16 0
#endif

#if !POSENC_PLAIN_TARGET

HWY_BEFORE_NAMESPACE();
namespace posenc::server {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using DoublesV = hn::Vec<Doubles>;
using Floats = hn::Rebind<float, Doubles>;
using FloatsV = hn::Vec<Floats>;
using Words = hn::Rebind<std::uint32_t, Doubles>;
using WordsV = hn::Vec<Words>;
using Halfwords = hn::Rebind<std::uint16_t, Doubles>;
using HalfwordsV = hn::Vec<Halfwords>;

constexpr double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023)
                               << 52);
}

// Rounds to the nearest double of `kFraction` fraction bits whose exponent is
// at least `kMinExponent`, ties to even. Adding 2^52 units of the last place
// that is wanted makes the addition itself round there; every later narrowing
// is then exact. From 2^kMaxExponent up, where the narrow type has only
// infinity, the result stays at least that large; NaN stays NaN.
template <int kFraction, int kMinExponent, int kMaxExponent>
HWY_INLINE DoublesV RoundTo(DoublesV value) {
  const Doubles d;
  const auto exponent_bits = hn::Inf(d);
  // A power of two, zero or infinity, never NaN: the minimum is well defined.
  const auto power = hn::And(value, exponent_bits);
  const auto binade =
      hn::Max(hn::Min(power, hn::Set(d, PowerOfTwo(kMaxExponent))),
              hn::Set(d, PowerOfTwo(kMinExponent)));
  const auto shifter = hn::Mul(binade, hn::Set(d, PowerOfTwo(52 - kFraction)));
  const auto magnitude = hn::Abs(value);
  const auto rounded = hn::Sub(hn::Add(magnitude, shifter), shifter);
  return hn::CopySign(rounded, value);
}

HWY_INLINE HalfwordsV LowHalves(WordsV words) {
  const hn::RebindToSigned<Words> signed_words;
  return hn::DemoteTo(Halfwords(), hn::BitCast(signed_words, words));
}

HWY_INLINE FloatsV FloatsFromBF16(HalfwordsV bits) {
#if HWY_MAX_BYTES <= 32
  // Zeros below the bits, within a single block: one instruction.
  const hn::Repartition<std::uint16_t, Floats> dh;
  const auto wide = hn::ZeroExtendVector(dh, bits);
  return hn::BitCast(Floats(), hn::InterleaveLower(dh, hn::Zero(dh), wide));
#else
  const auto words = hn::PromoteTo(Words(), bits);
  return hn::BitCast(Floats(), hn::ShiftLeft<16>(words));
#endif
}

#if POSENC_NATIVE_F16

using F16s = hn::Rebind<hwy::float16_t, Doubles>;

HWY_INLINE FloatsV FloatsFromF16(HalfwordsV bits) {
  return hn::PromoteTo(Floats(), hn::BitCast(F16s(), bits));
}

HWY_INLINE HalfwordsV F16FromExact(FloatsV values) {
  return hn::BitCast(Halfwords(), hn::DemoteTo(F16s(), values));
}

#else

HWY_INLINE FloatsV FloatsFromF16(HalfwordsV bits) {
  const Floats df;
  const Words du;
  const auto words = hn::PromoteTo(du, bits);
  const auto magnitude = hn::And(words, hn::Set(du, 0x7FFFu));
  const auto sign = hn::ShiftLeft<16>(hn::Xor(words, magnitude));
  // The fields in place, with an exponent that is 112 too small; the product
  // is exact, of subnormals too.
  const auto shifted = hn::BitCast(df, hn::ShiftLeft<13>(magnitude));
  const auto scaled = hn::Mul(shifted, hn::Set(df, 0x1p112f));
  const auto special = hn::Gt(magnitude, hn::Set(du, 0x7BFFu));
  const auto infinity = hn::IfThenElseZero(special, hn::Set(du, 0x7F800000u));
  return hn::BitCast(df,
                     hn::Or(hn::Or(hn::BitCast(du, scaled), infinity), sign));
}

// Of floats that are values of f16, or at least 2^16, infinite or NaN.
HWY_INLINE HalfwordsV F16FromExact(FloatsV values) {
  const Floats df;
  const Words du;
  const auto bits = hn::BitCast(du, values);
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFFFFFFu));
  const auto sign = hn::ShiftRight<16>(hn::Xor(bits, magnitude));
  const auto normal =
      hn::Sub(hn::ShiftRight<13>(magnitude), hn::Set(du, 112u << 10));
  // The last place of floats from 0.5 up is the unit of f16's subnormals.
  const auto half = hn::Set(df, 0.5f);
  const auto subnormal =
      hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(df, magnitude), half)),
              hn::BitCast(du, half));
  const auto is_subnormal =
      hn::Lt(magnitude, hn::BitCast(du, hn::Set(df, 0x1p-14f)));
  const auto is_large =
      hn::Gt(magnitude, hn::BitCast(du, hn::Set(df, 65504.0f)));
  const auto is_nan = hn::Gt(magnitude, hn::Set(du, 0x7F800000u));
  auto result = hn::IfThenElse(is_subnormal, subnormal, normal);
  result = hn::IfThenElse(is_large, hn::Set(du, 0x7C00u), result);
  result = hn::IfThenElse(is_nan, hn::Set(du, 0x7E00u), result);
  return LowHalves(hn::Or(result, sign));
}

#endif

// How Lanes(Doubles()) elements are read and written, at any alignment.
struct Float32 {
  static constexpr DType kDType = DType::kFloat32;
  using Bits = float;
  static HWY_INLINE DoublesV Load(const float* from) {
    return hn::PromoteTo(Doubles(), hn::LoadU(Floats(), from));
  }
  static HWY_INLINE void Store(DoublesV values, float* to) {
    hn::StoreU(hn::DemoteTo(Floats(), values), Floats(), to);
  }
};

struct Float16 {
  static constexpr DType kDType = DType::kFloat16;
  using Bits = std::uint16_t;
  static HWY_INLINE DoublesV Load(const std::uint16_t* from) {
    const auto bits = hn::LoadU(Halfwords(), from);
    return hn::PromoteTo(Doubles(), FloatsFromF16(bits));
  }
  static HWY_INLINE void Store(DoublesV values, std::uint16_t* to) {
    const auto exact = hn::DemoteTo(Floats(), RoundTo<10, -14, 16>(values));
    hn::StoreU(F16FromExact(exact), Halfwords(), to);
  }
};

struct BFloat16 {
  static constexpr DType kDType = DType::kBFloat16;
  using Bits = std::uint16_t;
  static HWY_INLINE DoublesV Load(const std::uint16_t* from) {
    return hn::PromoteTo(Doubles(),
                         FloatsFromBF16(hn::LoadU(Halfwords(), from)));
  }
  static HWY_INLINE void Store(DoublesV values, std::uint16_t* to) {
    const auto exact = hn::DemoteTo(Floats(), RoundTo<7, -126, 128>(values));
    const auto words = hn::BitCast(Words(), exact);
    hn::StoreU(LowHalves(hn::ShiftRight<16>(words)), Halfwords(), to);
  }
};

struct Float64 {
  static constexpr DType kDType = DType::kFloat64;
  using Bits = double;
  static HWY_INLINE DoublesV Load(const double* from) {
    return hn::LoadU(Doubles(), from);
  }
  static HWY_INLINE void Store(DoublesV values, double* to) {
    hn::StoreU(values, Doubles(), to);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace posenc::server
HWY_AFTER_NAMESPACE();

#endif

#endif  // POSENC_SERVER_KERNELS_ELEMENTS_INL_H_
