// Kernels::rotate_pairs of every SIMD target.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/kernels/rotate_pairs.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "server/kernels/blocks-inl.h"
#include "server/kernels/elements-inl.h"
#include "server/kernels/kernels.h"
#include "server/kernels/round_floats-inl.h"

#if !POSENC_PLAIN_TARGET

HWY_BEFORE_NAMESPACE();
namespace posenc::server {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two vectors: what is to be turned, or what is stored.
struct Vectors {
  DoublesV first;
  DoublesV second;
};

// Channels i and i + distance, as they lie.
struct Halves {
  template <typename In>
  static HWY_INLINE Vectors Load(const typename In::Bits* in, std::size_t i,
                                 std::size_t distance) {
    return {In::Load(in + i), In::Load(in + distance + i)};
  }
  static HWY_INLINE DoublesV Ordered(DoublesV values) { return values; }
  static HWY_INLINE Vectors ToStore(const Vectors& turned) { return turned; }
  template <typename T>
  static HWY_INLINE T* First(T* out, std::size_t i, std::size_t) {
    return out + i;
  }
  template <typename T>
  static HWY_INLINE T* Second(T* out, std::size_t i, std::size_t distance) {
    return out + distance + i;
  }
};

// Channels 2i and 2i + 1. Two vectors of pairs are split within blocks of 128
// bits, which takes one instruction each; it leaves the pairs 0, n / 2, 1,
// n / 2 + 1, … of n, and so their cosines and sines are put in that order.
struct Adjacent {
  template <typename In>
  static HWY_INLINE Vectors Load(const typename In::Bits* in, std::size_t i,
                                 std::size_t) {
    const Doubles d;
    const auto low = In::Load(in + 2 * i);
    const auto high = In::Load(in + 2 * i + hn::Lanes(d));
    return {hn::InterleaveLower(d, low, high),
            hn::InterleaveUpper(d, low, high)};
  }
  static HWY_INLINE DoublesV Ordered(DoublesV values) {
    const Doubles d;
    if constexpr (HWY_MAX_BYTES == 16) return values;
    const hn::RebindToSigned<Doubles> di;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    // 0, n / 2, 1, n / 2 + 1, …
    const auto iota = hn::Iota(di, 0);
    const auto odd = hn::And(iota, hn::Set(di, 1));
    const auto order = hn::IfThenElse(
        hn::Eq(odd, hn::Zero(di)), hn::ShiftRight<1>(iota),
        hn::Add(hn::ShiftRight<1>(iota), hn::Set(di, lanes / 2)));
    return hn::TableLookupLanes(values, hn::IndicesFromVec(d, order));
  }
  static HWY_INLINE Vectors ToStore(const Vectors& turned) {
    const Doubles d;
    return {hn::InterleaveLower(d, turned.first, turned.second),
            hn::InterleaveUpper(d, turned.first, turned.second)};
  }
  template <typename T>
  static HWY_INLINE T* First(T* out, std::size_t i, std::size_t) {
    return out + 2 * i;
  }
  template <typename T>
  static HWY_INLINE T* Second(T* out, std::size_t i, std::size_t) {
    return out + 2 * i + hn::Lanes(Doubles());
  }
};

// Turns a vector of pairs from pair i on.
template <typename In, typename Pairs, typename Scale>
HWY_INLINE Vectors TurnVector(const typename In::Bits* in, const double* cos,
                              const double* sin, std::size_t i,
                              std::size_t distance, Scale scale) {
  const Vectors pairs = Pairs::template Load<In>(in, i, distance);
  const auto a = scale(pairs.first);
  const auto b = scale(pairs.second);
  const auto c = Pairs::Ordered(hn::LoadU(Doubles(), cos + i));
  const auto s = Pairs::Ordered(hn::LoadU(Doubles(), sin + i));
  return Pairs::ToStore({hn::Sub(hn::Mul(a, c), hn::Mul(b, s)),
                         hn::Add(hn::Mul(a, s), hn::Mul(b, c))});
}

// One row: its elements, its encoding and what the caller said of all rows.
template <typename In, typename Out>
struct Row {
  const typename In::Bits* in;
  const double* cos;
  const double* sin;
  typename Out::Bits* out;
  std::size_t pairs;
};

template <typename In, typename Out, typename Pairs, typename Scale>
HWY_INLINE void RotateVector(const Row<In, Out>& row, std::size_t i,
                             Scale scale) {
  const Vectors turned =
      TurnVector<In, Pairs>(row.in, row.cos, row.sin, i, row.pairs, scale);
  Out::Store(turned.first, Pairs::First(row.out, i, row.pairs));
  Out::Store(turned.second, Pairs::Second(row.out, i, row.pairs));
}

// Turns a block of kBlock vectors. All are read before one is written, since
// the output may lie where the input does.
template <typename In, typename Out, typename Pairs, typename Scale>
HWY_INLINE void RotateBlock(const Row<In, Out>& row, std::size_t i,
                            Scale scale) {
  const std::size_t lanes = hn::Lanes(Doubles());
  constexpr bool kIsSplit = std::is_same_v<Pairs, Halves>;
  if constexpr (kRoundsFromFloats<Out>) {
    const hn::Half<WideFloats> half;
    const auto narrow = [&](DoublesV low, DoublesV high) HWY_ATTR {
      return hn::Combine(WideFloats(), hn::DemoteTo(half, high),
                         hn::DemoteTo(half, low));
    };
    WideFloatsV floats[kBlock / 2];
    for (std::size_t k = 0; k < kBlock / 4; ++k) {
      const auto even = TurnVector<In, Pairs>(
          row.in, row.cos, row.sin, i + 2 * k * lanes, row.pairs, scale);
      const auto odd = TurnVector<In, Pairs>(
          row.in, row.cos, row.sin, i + (2 * k + 1) * lanes, row.pairs, scale);
      if constexpr (kIsSplit) {
        floats[k] = narrow(even.first, odd.first);
        floats[k + kBlock / 4] = narrow(even.second, odd.second);
      } else {
        floats[2 * k] = narrow(even.first, even.second);
        floats[2 * k + 1] = narrow(odd.first, odd.second);
      }
    }
    auto* low = Pairs::First(row.out, i, row.pairs);
    auto* high = kIsSplit ? Pairs::Second(row.out, i, row.pairs)
                          : low + kBlock / 2 * lanes;
    if (HWY_LIKELY(StoreUnlessTied(Out(), floats, low, high))) return;
  }
  for (std::size_t k = 0; k < kBlock / 2; ++k) {
    RotateVector<In, Out, Pairs>(row, i + k * lanes, scale);
  }
}

// Turns the last pairs, fewer than a vector, in copies as long as one.
template <typename In, typename Out, typename Pairs, typename Scale>
HWY_INLINE void RotateLast(const Row<In, Out>& row, std::size_t i,
                           Scale scale) {
  constexpr std::size_t kLanes = hn::MaxLanes(Doubles());
  constexpr bool kIsSplit = std::is_same_v<Pairs, Halves>;
  const std::size_t left = row.pairs - i;
  const std::size_t lanes = hn::Lanes(Doubles());
  typename In::Bits in[2 * kLanes] = {};
  typename Out::Bits out[2 * kLanes];
  double encoding[2 * kLanes] = {};
  std::memcpy(encoding, row.cos + i, left * sizeof(double));
  std::memcpy(encoding + kLanes, row.sin + i, left * sizeof(double));
  const Row<In, Out> copy{in, encoding, encoding + kLanes, out, lanes};
  if constexpr (kIsSplit) {
    std::memcpy(in, row.in + i, left * sizeof(*in));
    std::memcpy(in + lanes, row.in + row.pairs + i, left * sizeof(*in));
    RotateVector<In, Out, Pairs>(copy, 0, scale);
    std::memcpy(row.out + i, out, left * sizeof(*out));
    std::memcpy(row.out + row.pairs + i, out + lanes, left * sizeof(*out));
  } else {
    std::memcpy(in, row.in + 2 * i, 2 * left * sizeof(*in));
    RotateVector<In, Out, Pairs>(copy, 0, scale);
    std::memcpy(row.out + 2 * i, out, 2 * left * sizeof(*out));
  }
}

// Scales n elements that are not turned.
template <typename In, typename Out, typename Scale>
HWY_INLINE void ScaleElements(const typename In::Bits* in, Scale scale,
                              typename Out::Bits* out, std::size_t n) {
  if constexpr (In::kDType == Out::kDType && std::is_same_v<Scale, Unscaled>) {
    if (in != out) std::memcpy(out, in, n * sizeof(*in));
    return;
  }
  const std::size_t lanes = hn::Lanes(Doubles());
  std::size_t i = 0;
  for (; n - i >= lanes; i += lanes) {
    Out::Store(scale(In::Load(in + i)), out + i);
  }
  if (i == n) return;
  constexpr std::size_t kLanes = hn::MaxLanes(Doubles());
  typename In::Bits last[kLanes] = {};
  typename Out::Bits scaled[kLanes];
  std::memcpy(last, in + i, (n - i) * sizeof(*in));
  Out::Store(scale(In::Load(last)), scaled);
  std::memcpy(out + i, scaled, (n - i) * sizeof(*out));
}

template <typename In, typename Out, typename Pairs, typename Scale>
HWY_INLINE void RotateRows(const void* in, const double* encoding,
                           PairRows rows, Scale scale, void* out) {
  const std::size_t lanes = hn::Lanes(Doubles());
  const std::size_t block = kBlock / 2 * lanes;  // pairs
  const std::size_t turned = 2 * rows.pairs;
  Row<In, Out> row{static_cast<const typename In::Bits*>(in), nullptr, nullptr,
                   static_cast<typename Out::Bits*>(out), rows.pairs};
  std::size_t elements_left = rows.rows * rows.width;
  for (std::size_t left = rows.rows; left > 0; --left) {
    if (kRoundsFromFloats<Out> &&
        elements_left >= kPrefetchDistance + rows.width) {
      PrefetchElements(row.in + kPrefetchDistance, rows.width);
      if (rows.encoding_stride > 0) {
        PrefetchElements(encoding + kPrefetchDistance, rows.encoding_stride);
      }
    }
    row.cos = encoding;
    row.sin = encoding + rows.pairs;
    std::size_t i = 0;
    for (; rows.pairs - i >= block; i += block) {
      RotateBlock<In, Out, Pairs>(row, i, scale);
    }
    for (; rows.pairs - i >= lanes; i += lanes) {
      RotateVector<In, Out, Pairs>(row, i, scale);
    }
    if (i < rows.pairs) RotateLast<In, Out, Pairs>(row, i, scale);
    if (turned < rows.width) {
      ScaleElements<In, Out>(row.in + turned, scale, row.out + turned,
                             rows.width - turned);
    }
    row.in += rows.width;
    row.out += rows.width;
    encoding += rows.encoding_stride;
    elements_left -= rows.width;
  }
}

template <typename In, typename Out, typename Pairs>
void RotatePairs(const void* in, const double* encoding, const PairRows& rows,
                 void* out) {
  if (rows.scale == 1) {
    RotateRows<In, Out, Pairs>(in, encoding, rows, Unscaled(), out);
  } else {
    RotateRows<In, Out, Pairs>(in, encoding, rows, Scaled(rows.scale), out);
  }
}

template <typename Pairs, typename In>
void FillRow(RotatePairsFunction (&row)[kFloatDTypes]) {
  row[static_cast<int>(DType::kFloat32)] = &RotatePairs<In, Float32, Pairs>;
  row[static_cast<int>(DType::kFloat16)] = &RotatePairs<In, Float16, Pairs>;
  row[static_cast<int>(DType::kBFloat16)] = &RotatePairs<In, BFloat16, Pairs>;
  row[static_cast<int>(DType::kFloat64)] = &RotatePairs<In, Float64, Pairs>;
}

template <typename Pairs>
void FillPairing(RotatePairsFunction (&table)[kFloatDTypes][kFloatDTypes]) {
  FillRow<Pairs, Float32>(table[static_cast<int>(DType::kFloat32)]);
  FillRow<Pairs, Float16>(table[static_cast<int>(DType::kFloat16)]);
  FillRow<Pairs, BFloat16>(table[static_cast<int>(DType::kBFloat16)]);
  FillRow<Pairs, Float64>(table[static_cast<int>(DType::kFloat64)]);
}

// For simd_kernels.cc.
void FillRotatePairs(Kernels& kernels);
void FillRotatePairs(Kernels& kernels) {
  FillPairing<Adjacent>(
      kernels.rotate_pairs[static_cast<int>(Pairing::kAdjacent)]);
  FillPairing<Halves>(kernels.rotate_pairs[static_cast<int>(Pairing::kHalves)]);
}

}  // namespace HWY_NAMESPACE
}  // namespace posenc::server
HWY_AFTER_NAMESPACE();

#endif
