#include "server/core/formats/npy.h"
#include "tests/fuzz/tensor_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  const auto tensors = posenc::server::ParseNpy(file);
  if (tensors.ok()) posenc::server::testing::CheckTensors(*tensors, file);
  return 0;
}
