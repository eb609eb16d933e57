#ifndef POSENC_TESTS_SUPPORT_TRUE_ROTARY_H_
#define POSENC_TESTS_SUPPORT_TRUE_ROTARY_H_

#include <cstdint>
#include <vector>

#include "server/core/encoding_spec.h"
#include "tests/support/true_values.h"

namespace posenc::testing {

// Of each pair of a resolved ROTARY spec: the cosine and the sine at a
// position, attention factor included, computed with 90 digits in one go.
struct TruePair {
  TrueValue cos;
  TrueValue sin;
};
std::vector<TruePair> TrueRotaryRow(const server::EncodingSpec& spec,
                                    double position);

}  // namespace posenc::testing

#endif  // POSENC_TESTS_SUPPORT_TRUE_ROTARY_H_
