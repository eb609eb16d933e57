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
#include "server/kernels/float_pairs-inl.h"
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

// Turns first and second channels a and b by angles of cosines c and sines s.
HWY_INLINE Vectors Turn(DoublesV a, DoublesV b, DoublesV c, DoublesV s) {
  return {hn::Sub(hn::Mul(a, c), hn::Mul(b, s)),
          hn::Add(hn::Mul(a, s), hn::Mul(b, c))};
}

// One row: its elements, its encoding, and how many elements ahead of either
// memory is asked for.
template <typename In, typename Out>
struct Row {
  const typename In::Bits* in;
  const double* cos;
  const double* sin;
  typename Out::Bits* out;
  std::size_t pairs;
  std::size_t ahead = 0;
  std::size_t encoding_ahead = 0;
};

// Turns a vector of pairs from pair i on.
template <typename Pairs, typename In, typename Out, typename Scale>
HWY_INLINE Vectors TurnVector(const Row<In, Out>& row, std::size_t i,
                              Scale scale) {
  const Doubles d;
  const Vectors pairs = Pairs::template Load<In>(row.in, i, row.pairs);
  return Pairs::ToStore(Turn(scale(pairs.first), scale(pairs.second),
                             Pairs::Ordered(hn::LoadU(d, row.cos + i)),
                             Pairs::Ordered(hn::LoadU(d, row.sin + i))));
}

template <typename Pairs, typename In, typename Out, typename Scale>
HWY_INLINE void RotateVector(const Row<In, Out>& row, std::size_t i,
                             Scale scale) {
  const Vectors turned = TurnVector<Pairs>(row, i, scale);
  Out::Store(turned.first, Pairs::First(row.out, i, row.pairs));
  Out::Store(turned.second, Pairs::Second(row.out, i, row.pairs));
}

HWY_INLINE WideFloatsV Narrowed(DoublesV low, DoublesV high) {
  const hn::Half<WideFloats> half;
  return hn::Combine(WideFloats(), hn::DemoteTo(half, high),
                     hn::DemoteTo(half, low));
}

// Turns a block by way of floats; false, and nothing is stored, where those do
// not tell how to round.
template <typename Pairs, typename In, typename Out, typename Scale>
HWY_INLINE bool RotateByFloats(const Row<In, Out>& row, std::size_t i,
                               Scale scale) {
  constexpr bool kIsSplit = std::is_same_v<Pairs, Halves>;
  constexpr std::size_t kQuarter = kBlock / 4;
  const std::size_t lanes = hn::Lanes(Doubles());
  WideFloatsV floats[2 * kQuarter];
  for (std::size_t k = 0; k < kQuarter; ++k) {
    const std::size_t at = i + 2 * k * lanes;
    const Vectors even = TurnVector<Pairs>(row, at, scale);
    const Vectors odd = TurnVector<Pairs>(row, at + lanes, scale);
    if constexpr (kIsSplit) {
      floats[k] = Narrowed(even.first, odd.first);
      floats[k + kQuarter] = Narrowed(even.second, odd.second);
    } else {
      floats[2 * k] = Narrowed(even.first, even.second);
      floats[2 * k + 1] = Narrowed(odd.first, odd.second);
    }
  }
  auto* low = Pairs::First(row.out, i, row.pairs);
  auto* high = kIsSplit ? Pairs::Second(row.out, i, row.pairs)
                        : low + 2 * kQuarter * lanes;
  return StoreUnlessTied(Out(), floats, low, high);
}

// As above, of adjacent pairs, which are taken apart and put together as narrow
// as they are: that takes fewer shuffles than as doubles.
template <typename In, typename Out, typename Scale>
HWY_INLINE bool RotateAdjacentByFloats(const Row<In, Out>& row, std::size_t i,
                                       Scale scale) {
  const Doubles d;
  const Floats half;
  const std::size_t lanes = hn::Lanes(d);
  const auto turn = [&](FloatsV first, FloatsV second, std::size_t at)
                        HWY_ATTR -> Vectors {
    return Turn(scale(hn::PromoteTo(d, first)), scale(hn::PromoteTo(d, second)),
                hn::LoadU(d, row.cos + at), hn::LoadU(d, row.sin + at));
  };
  WideFloatsV floats[kBlock / 2];
  for (std::size_t k = 0; k < kBlock / 2; k += 2) {
    const std::size_t at = i + k * lanes;
    const FloatPairs pairs = LoadFloatPairs(In(), row.in + 2 * at);
    const Vectors low = turn(hn::LowerHalf(half, pairs.first),
                             hn::LowerHalf(half, pairs.second), at);
    const Vectors high = turn(hn::UpperHalf(half, pairs.first),
                              hn::UpperHalf(half, pairs.second), at + lanes);
    floats[k] = Narrowed(low.first, high.first);
    floats[k + 1] = Narrowed(low.second, high.second);
  }
  return StorePairsUnlessTied(Out(), floats, row.out + 2 * i);
}

template <typename Pairs, typename In, typename Out>
HWY_INLINE void PrefetchBlock(const Row<In, Out>& row, std::size_t i) {
  const std::size_t half = kBlock / 2 * hn::Lanes(Doubles());
  if constexpr (std::is_same_v<Pairs, Halves>) {
    PrefetchElements(row.in + row.ahead + i, half);
    PrefetchElements(row.in + row.ahead + row.pairs + i, half);
  } else {
    PrefetchElements(row.in + row.ahead + 2 * i, 2 * half);
  }
  PrefetchElements(row.cos + row.encoding_ahead + i, half);
  PrefetchElements(row.sin + row.encoding_ahead + i, half);
}

// Turns a block vector by vector. Stores that go back and forth between the
// halves would be slower.
template <typename Pairs, typename In, typename Out, typename Scale>
HWY_INLINE void RotateVectors(const Row<In, Out>& row, std::size_t i,
                              Scale scale) {
  constexpr std::size_t kPairVectors = kBlock / 2;
  const std::size_t lanes = hn::Lanes(Doubles());
  Vectors turned[kPairVectors];
  for (std::size_t k = 0; k < kPairVectors; ++k) {
    turned[k] = TurnVector<Pairs>(row, i + k * lanes, scale);
  }
  if constexpr (std::is_same_v<Pairs, Halves>) {
    for (std::size_t k = 0; k < kPairVectors; ++k) {
      Out::Store(turned[k].first, row.out + i + k * lanes);
    }
    for (std::size_t k = 0; k < kPairVectors; ++k) {
      Out::Store(turned[k].second, row.out + row.pairs + i + k * lanes);
    }
  } else {
    for (std::size_t k = 0; k < kPairVectors; ++k) {
      auto* to = row.out + 2 * (i + k * lanes);
      Out::Store(turned[k].first, to);
      Out::Store(turned[k].second, to + lanes);
    }
  }
}

// Turns a block of kBlock vectors. All are read before one is written.
template <typename Pairs, typename In, typename Out, typename Scale>
HWY_INLINE void RotateBlock(const Row<In, Out>& row, std::size_t i,
                            Scale scale) {
  if constexpr (kRoundsFromFloats<Out>) {
    PrefetchBlock<Pairs>(row, i);
    if constexpr (std::is_same_v<Pairs, Adjacent> && kHasFloatPairs<In>) {
      if (HWY_LIKELY(RotateAdjacentByFloats(row, i, scale))) return;
    } else {
      if (HWY_LIKELY(RotateByFloats<Pairs>(row, i, scale))) return;
    }
  }
  RotateVectors<Pairs>(row, i, scale);
}

// Turns the last pairs, fewer than a vector, in copies as long as one.
template <typename Pairs, typename In, typename Out, typename Scale>
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
    RotateVector<Pairs>(copy, 0, scale);
    std::memcpy(row.out + i, out, left * sizeof(*out));
    std::memcpy(row.out + row.pairs + i, out + lanes, left * sizeof(*out));
  } else {
    std::memcpy(in, row.in + 2 * i, 2 * left * sizeof(*in));
    RotateVector<Pairs>(copy, 0, scale);
    std::memcpy(row.out + 2 * i, out, 2 * left * sizeof(*out));
  }
}

// Scales a block of kBlock vectors.
template <typename In, typename Out, typename Scale>
HWY_INLINE void ScaleBlock(const typename In::Bits* in, Scale scale,
                           typename Out::Bits* out) {
  const std::size_t lanes = hn::Lanes(Doubles());
  if constexpr (kRoundsFromFloats<Out>) {
    WideFloatsV floats[kBlock / 2];
    for (std::size_t k = 0; k < kBlock / 2; ++k) {
      const auto* from = in + 2 * k * lanes;
      floats[k] =
          Narrowed(scale(In::Load(from)), scale(In::Load(from + lanes)));
    }
    auto* high = out + kBlock / 2 * lanes;
    if (HWY_LIKELY(StoreUnlessTied(Out(), floats, out, high))) return;
  }
  for (std::size_t at = 0; at < kBlock * lanes; at += lanes) {
    Out::Store(scale(In::Load(in + at)), out + at);
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
  for (; n - i >= kBlock * lanes; i += kBlock * lanes) {
    ScaleBlock<In, Out>(in + i, scale, out + i);
  }
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

// How far ahead to ask for elements, of which so many are left, from a row on.
HWY_INLINE std::size_t Ahead(std::size_t left, std::size_t row) {
  return left < kPrefetchDistance + row ? 0 : kPrefetchDistance;
}

template <typename In, typename Out, typename Pairs, typename Scale>
HWY_INLINE void RotateRows(const void* in, const double* encoding,
                           PairRows rows, Scale scale, void* out) {
  const std::size_t lanes = hn::Lanes(Doubles());
  const std::size_t block = kBlock / 2 * lanes;  // pairs
  const std::size_t turned = 2 * rows.pairs;
  Row<In, Out> row{static_cast<const typename In::Bits*>(in), nullptr, nullptr,
                   static_cast<typename Out::Bits*>(out), rows.pairs};
  for (std::size_t left = rows.rows; left > 0; --left) {
    row.ahead = Ahead(left * rows.width, rows.width);
    row.encoding_ahead =
        Ahead(left * rows.encoding_stride, rows.encoding_stride);
    row.cos = encoding;
    row.sin = encoding + rows.pairs;
    std::size_t i = 0;
    for (; rows.pairs - i >= block; i += block) {
      RotateBlock<Pairs>(row, i, scale);
    }
    for (; rows.pairs - i >= lanes; i += lanes) {
      RotateVector<Pairs>(row, i, scale);
    }
    if (i < rows.pairs) RotateLast<Pairs>(row, i, scale);
    if (turned < rows.width) {
      ScaleElements<In, Out>(row.in + turned, scale, row.out + turned,
                             rows.width - turned);
    }
    row.in += rows.width;
    row.out += rows.width;
    encoding += rows.encoding_stride;
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
