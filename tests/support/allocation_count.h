#ifndef POSENC_TESTS_SUPPORT_ALLOCATION_COUNT_H_
#define POSENC_TESTS_SUPPORT_ALLOCATION_COUNT_H_

#include <cstddef>
#include <functional>

namespace posenc::testing {

// A sanitizer has a malloc of its own, in which nothing is counted.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kCountsAllocations = false;
#else
inline constexpr bool kCountsAllocations = true;
#endif

struct AllocationCount {
  int all = 0;
  int large = 0;
};

// What this thread got from malloc and the like during the work; large: those
// of at least `large_bytes`. The binary's own malloc counts.
AllocationCount CountAllocations(std::size_t large_bytes,
                                 const std::function<void()>& work);

}  // namespace posenc::testing

#endif  // POSENC_TESTS_SUPPORT_ALLOCATION_COUNT_H_
