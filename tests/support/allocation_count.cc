#include "tests/support/allocation_count.h"

#include <cerrno>
#include <cstdlib>
#include <limits>

namespace {

thread_local posenc::testing::AllocationCount counted;
thread_local std::size_t large_from = std::numeric_limits<std::size_t>::max();

}  // namespace

namespace posenc::testing {

AllocationCount CountAllocations(std::size_t large_bytes,
                                 const std::function<void()>& work) {
  counted = {};
  large_from = large_bytes;
  work();
  return counted;
}

}  // namespace posenc::testing

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

void Count(std::size_t bytes) {
  ++counted.all;
  if (bytes >= large_from) ++counted.large;
}

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* data, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) {
  Count(bytes);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  Count(count * bytes);
  return __libc_calloc(count, bytes);
}
void* realloc(void* data, std::size_t bytes) {
  Count(bytes);
  return __libc_realloc(data, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  Count(bytes);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** data, std::size_t alignment, std::size_t bytes) {
  Count(bytes);
  *data = __libc_memalign(alignment, bytes);
  return *data == nullptr ? ENOMEM : 0;
}
}
#endif
