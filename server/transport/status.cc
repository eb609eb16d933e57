#include "server/transport/status.h"

#include <string>

#include "server/base/error.h"

namespace posenc::server {

v1::Status ToProto(const absl::Status& status) {
  v1::Status proto;
  proto.set_code(static_cast<int>(status.code()));
  proto.set_message(std::string(status.message()));
  v1::ErrorInfo info;
  info.set_reason(ReasonOf(status));
  info.set_domain("posenc");
  auto* detail = proto.add_details();
  detail->set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
  info.SerializeToString(detail->mutable_value());
  return proto;
}

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message()),
                      ToProto(status).SerializeAsString());
}

}  // namespace posenc::server
