#ifndef POSENC_SERVER_KERNELS_SIMD_KERNELS_H_
#define POSENC_SERVER_KERNELS_SIMD_KERNELS_H_

#include <vector>

#include "server/kernels/kernels.h"

namespace posenc::server {

// The kernels of every target that is compiled in and that this machine can
// run, best first; none on a machine below the first target. They live as long
// as the process. The first call must not race with other uses of Highway's
// dispatch, of which posenc has none.
std::vector<const Kernels*> SimdKernels();

}  // namespace posenc::server

#endif  // POSENC_SERVER_KERNELS_SIMD_KERNELS_H_
