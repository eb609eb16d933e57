#ifndef POSENC_CLIENT_SRC_HEALTH_H_
#define POSENC_CLIENT_SRC_HEALTH_H_

#include <grpcpp/support/byte_buffer.h>

#include "absl/status/statusor.h"
#include "posenc/requests.h"

// grpc.health.v1.Health.Check, whose generated classes gRPC does not install.
namespace posenc {

inline constexpr char kHealthCheckMethod[] = "/grpc.health.v1.Health/Check";

// A HealthCheckRequest for the server as a whole: an empty message.
grpc::ByteBuffer SerializeHealthCheckRequest();

// Reads a HealthCheckResponse. INTERNAL if it is malformed.
absl::StatusOr<Health> ParseHealthCheckResponse(grpc::ByteBuffer& message);

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_HEALTH_H_
