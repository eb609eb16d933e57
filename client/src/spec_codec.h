#ifndef POSENC_CLIENT_SRC_SPEC_CODEC_H_
#define POSENC_CLIENT_SRC_SPEC_CODEC_H_

#include "posenc/encoding_spec.h"
#include "posenc/v1/encoding.pb.h"

namespace posenc {

// Field for field; what is absent stays absent. Enum values that this version
// does not know keep their numbers.
v1::EncodingSpec ToProto(const EncodingSpec& spec);
EncodingSpec FromProto(const v1::EncodingSpec& proto);

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_SPEC_CODEC_H_
