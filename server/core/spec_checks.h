#ifndef POSENC_SERVER_CORE_SPEC_CHECKS_H_
#define POSENC_SERVER_CORE_SPEC_CHECKS_H_

#include "absl/status/status.h"
#include "server/core/encoding_spec.h"

namespace posenc::server {

// INVALID_ARGUMENT for two fields of which only one may be given.
absl::Status CheckContradictions(const SpecFields& fields);

// Checks every value of a spec whose d_model is settled, and fills in those
// that others decide. INVALID_ARGUMENT, with the number and its bounds, for a
// value outside them.
absl::Status CompleteSpec(EncodingSpec& spec);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_SPEC_CHECKS_H_
