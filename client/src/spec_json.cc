#include <google/protobuf/util/json_util.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/src/spec_codec.h"
#include "posenc/encoding_spec.h"
#include "posenc/v1/encoding.pb.h"

namespace posenc {

absl::StatusOr<EncodingSpec> EncodingSpecFromJson(absl::string_view json) {
  // Protobuf takes null, and nothing at all, for an empty message.
  if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(json), "{")) {
    return absl::InvalidArgumentError(
        "the JSON of an EncodingSpec is not an object");
  }
  v1::EncodingSpec proto;
  const auto status = google::protobuf::util::JsonStringToMessage(
      {json.data(), json.size()}, &proto);
  if (!status.ok()) {
    const auto message = status.message();
    return absl::InvalidArgumentError(
        absl::StrCat("the JSON of an EncodingSpec is wrong: ",
                     absl::string_view(message.data(), message.size())));
  }
  return FromProto(proto);
}

std::string EncodingSpecToJson(const EncodingSpec& spec) {
  std::string json;
  // Fails only for messages that hold an Any.
  (void)google::protobuf::util::MessageToJsonString(ToProto(spec), &json);
  return json;
}

}  // namespace posenc
