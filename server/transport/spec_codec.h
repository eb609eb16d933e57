#ifndef POSENC_SERVER_TRANSPORT_SPEC_CODEC_H_
#define POSENC_SERVER_TRANSPORT_SPEC_CODEC_H_

// Between the messages of the contract and the engine's structs, payloads
// apart.

#include "absl/status/statusor.h"
#include "posenc/v1/encoding.pb.h"
#include "posenc/v1/positional_encoding.pb.h"
#include "server/base/dtype.h"
#include "server/base/tensor.h"
#include "server/core/encoding_spec.h"
#include "server/core/positions.h"

namespace posenc::server {

// INVALID_ARGUMENT for an enum value that the contract does not name.
absl::StatusOr<SpecFields> FromProto(const v1::EncodingSpec& proto);
absl::StatusOr<DType> FromProto(v1::DType dtype);
absl::StatusOr<BatchLayout> FromProto(v1::BatchLayout layout);

// dtype and shape of a tensor; its data is left alone. `what` names it in
// errors. INVALID_ARGUMENT for an unknown dtype or too many dimensions.
absl::StatusOr<TensorView> HeaderFromProto(const v1::Tensor& proto,
                                           absl::string_view what);

// The spec in force: every field of its kind set.
v1::EncodingSpec ToProto(const EncodingSpec& spec);
v1::DType ToProto(DType dtype);
v1::BatchLayout ToProto(BatchLayout layout);

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_SPEC_CODEC_H_
