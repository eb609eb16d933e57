#ifndef POSENC_TESTS_CONFORMANCE_GOLDEN_VALUES_H_
#define POSENC_TESTS_CONFORMANCE_GOLDEN_VALUES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "posenc/tensor.h"

namespace posenc::testing {

// The element of a payload that begins there.
double ReadElement(DType dtype, const std::byte* at);

// `values` as a payload. The golden inputs are exact in every dtype, so no
// rounding is needed; one that is not fails the test.
std::vector<std::byte> ToPayload(DType dtype,
                                 const std::vector<double>& values);

double HalfUlpOf(DType dtype, double value);

// The descr of a .npy file; bfloat16, which has none, is stored as uint16.
std::string Descr(DType dtype);

}  // namespace posenc::testing

#endif  // POSENC_TESTS_CONFORMANCE_GOLDEN_VALUES_H_
