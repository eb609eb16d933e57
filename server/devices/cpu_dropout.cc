#include "server/devices/cpu_dropout.h"

#include <Random123/philox.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>

namespace posenc::server {
namespace {

using Philox = r123::Philox4x32;  // ten rounds
constexpr std::uint64_t kWords = 4;

// What a thread takes at once, and what it works on in its caches; multiples
// of kWords.
constexpr std::uint64_t kTile = std::uint64_t{1} << 18;
constexpr std::uint64_t kBlock = 1024;

std::uint32_t Low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t High(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

// Whether each of the kWords elements from `index` on, a multiple of kWords, is
// dropped.
std::array<bool, kWords> Draw(const Dropout& dropout, std::uint64_t index) {
  const std::uint64_t counter = index / kWords;
  const Philox::ctr_type words =
      Philox()({{Low(counter), High(counter), Low(dropout.request_position),
                 High(dropout.request_position)}},
               {{Low(dropout.seed), High(dropout.seed)}});
  const double limit = dropout.rate * 0x1p32;
  std::array<bool, kWords> dropped;
  for (std::size_t k = 0; k < kWords; ++k) {
    dropped[k] = static_cast<double>(words[k]) < limit;
  }
  return dropped;
}

// The block of `count` elements whose first has that index.
void DropOutBlock(AddFunction add, const Dropout& dropout, std::size_t size,
                  std::uint64_t index, std::byte* values, std::uint64_t count) {
  static constexpr std::array<double, kBlock> kNothingToAdd{};
  add(values, kNothingToAdd.data(), 1 / (1 - dropout.rate), values, count);
  for (std::uint64_t at = 0; at < count; at += kWords) {
    const auto dropped = Draw(dropout, index + at);
    const std::uint64_t words = std::min(kWords, count - at);
    for (std::uint64_t k = 0; k < words; ++k) {
      if (dropped[k]) std::memset(values + (at + k) * size, 0, size);
    }
  }
}

}  // namespace

void DropOutOnCpu(const Kernels& kernels, const Dropout& dropout, DType dtype,
                  WorkerPool& workers, std::span<std::byte> values) {
  const std::size_t size = SizeOf(dtype);
  const AddFunction add = kernels.Add(dtype, dtype);
  const std::uint64_t count = values.size() / size;
  const auto run_tile = [&](std::size_t tile) {
    const std::uint64_t end = std::min((tile + 1) * kTile, count);
    for (std::uint64_t index = tile * kTile; index < end; index += kBlock) {
      DropOutBlock(add, dropout, size, index, values.data() + index * size,
                   std::min(kBlock, end - index));
    }
  };
  workers.ForEach((count + kTile - 1) / kTile, std::ref(run_tile));
}

}  // namespace posenc::server
