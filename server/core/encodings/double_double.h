#ifndef POSENC_SERVER_CORE_ENCODINGS_DOUBLE_DOUBLE_H_
#define POSENC_SERVER_CORE_ENCODINGS_DOUBLE_DOUBLE_H_

#include "server/kernels/sin_cos.h"

// Arithmetic on double-doubles (Dekker 1971). Relative errors are below 2^-100
// where nothing overflows; a sum's is relative to the larger of the two terms.
namespace posenc::server {

DoubleDouble Sum(DoubleDouble a, DoubleDouble b);
DoubleDouble Product(DoubleDouble a, DoubleDouble b);
DoubleDouble Quotient(DoubleDouble a, DoubleDouble b);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_DOUBLE_DOUBLE_H_
