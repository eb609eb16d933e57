#ifndef POSENC_SERVER_CORE_FREQUENCY_SCALING_H_
#define POSENC_SERVER_CORE_FREQUENCY_SCALING_H_

#include "absl/status/status.h"
#include "server/core/encoding_spec.h"

namespace posenc::server {

// Checks spec.frequency_scaling of a ROTARY spec whose rotary_dimension is
// settled, and fills in what has a default.
absl::Status CompleteScaling(EncodingSpec& spec);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_FREQUENCY_SCALING_H_
