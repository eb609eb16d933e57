// What the loops that write elements share: factors, the size of their blocks
// and how far ahead they ask for memory. Included once per SIMD target.

#if defined(POSENC_SERVER_KERNELS_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SERVER_KERNELS_BLOCKS_INL_H_
#undef POSENC_SERVER_KERNELS_BLOCKS_INL_H_
#else
#define POSENC_SERVER_KERNELS_BLOCKS_INL_H_
#endif

#include <cstddef>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "server/kernels/elements-inl.h"

#if !POSENC_PLAIN_TARGET

HWY_BEFORE_NAMESPACE();
namespace posenc::server {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A factor, and a factor of one: both give the same bits.
struct Scaled {
  explicit Scaled(double scale) : factor(hn::Set(Doubles(), scale)) {}
  HWY_INLINE DoublesV operator()(DoublesV values) const {
    return hn::Mul(factor, values);
  }
  DoublesV factor;
};
struct Unscaled {
  HWY_INLINE DoublesV operator()(DoublesV values) const { return values; }
};

// Vectors of doubles in a block. Each step is taken for all of them before the
// next one: a CPU looks only so many instructions ahead for work.
constexpr std::size_t kBlock = 8;

// Asks for the lines of `count` elements that are due soon. Rounding to 16 bits
// takes so many instructions an element that the CPU alone does not look far
// enough ahead to keep the memory busy.
template <typename T>
HWY_INLINE void PrefetchElements(const T* elements, std::size_t count) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  for (std::size_t i = 0; i < count; i += kLine) hwy::Prefetch(elements + i);
}

constexpr std::size_t kPrefetchDistance = 512;  // elements

}  // namespace HWY_NAMESPACE
}  // namespace posenc::server
HWY_AFTER_NAMESPACE();

#endif

#endif  // POSENC_SERVER_KERNELS_BLOCKS_INL_H_
