#include "client/src/channel.h"

#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/src/call.h"

namespace posenc {
namespace {

constexpr absl::string_view kUnixScheme = "unix:";

// gRPC counts the bytes of a message in an int.
constexpr std::uint64_t kMostMessageBytes = std::numeric_limits<int>::max();

// gRPC's 1 s and 120 s make a client wait long after the server is back.
constexpr int kFirstReconnectMs = 100;
constexpr int kLongestReconnectMs = 5000;

// host:port, with an IPv6 address in brackets. gRPC itself would take a missing
// port for 443.
bool IsHostAndPort(absl::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos || colon == 0) return false;
  const absl::string_view host = address.substr(0, colon);
  const bool bracketed =
      absl::StartsWith(host, "[") && absl::EndsWith(host, "]");
  std::uint32_t port = 0;
  return (bracketed || !absl::StrContains(host, ':')) &&
         absl::SimpleAtoi(address.substr(colon + 1), &port) && port >= 1 &&
         port <= 65535;
}

bool IsUnixSocket(absl::string_view address) {
  return absl::StartsWith(address, kUnixScheme) &&
         address.size() > kUnixScheme.size();
}

bool IsLoopback(absl::string_view address) {
  return absl::StartsWith(address, "127.") ||
         absl::StartsWith(address, "[::1]:") ||
         absl::StartsWith(address, "localhost:");
}

absl::Status Validate(const ClientOptions& options) {
  if (!IsUnixSocket(options.address) && !IsHostAndPort(options.address)) {
    return absl::InvalidArgumentError(
        absl::StrCat("ClientOptions::address is \"", options.address,
                     "\" but must be \"host:port\" or \"unix:/path\""));
  }
  if (options.timeout.count() <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("ClientOptions::timeout is ", options.timeout.count(),
                     " ms but must be at least 1 ms"));
  }
  if (options.connect_timeout.count() <= 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "ClientOptions::connect_timeout is ", options.connect_timeout.count(),
        " ms but must be at least 1 ms"));
  }
  if (options.max_message_bytes == 0 ||
      options.max_message_bytes > kMostMessageBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "ClientOptions::max_message_bytes is ", options.max_message_bytes,
        " but must be 1 … ", kMostMessageBytes));
  }
  if (options.max_connections == 0 ||
      options.max_connections > kMostConnections) {
    return absl::InvalidArgumentError(absl::StrCat(
        "ClientOptions::max_connections is ", options.max_connections,
        " but must be 1 … ", kMostConnections));
  }
  if (options.max_bytes_in_flight == 0) {
    return absl::InvalidArgumentError(
        "ClientOptions::max_bytes_in_flight is 0 but must be at least 1");
  }
  return absl::OkStatus();
}

grpc::ChannelArguments Arguments(const ClientOptions& options) {
  grpc::ChannelArguments arguments;
  const int max_message_bytes = static_cast<int>(options.max_message_bytes);
  arguments.SetMaxReceiveMessageSize(max_message_bytes);
  arguments.SetMaxSendMessageSize(max_message_bytes);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstReconnectMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLongestReconnectMs);
  // Channels with equal arguments would otherwise share one TCP connection.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // A proxy of the environment's cannot reach this machine's own addresses.
  if (IsLoopback(options.address)) {
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  }
  arguments.SetUserAgentPrefix("posenc-client/" POSENC_VERSION);
  return arguments;
}

// gRPC shuts itself down with its last channel, and then waits for the thread
// that it lends to a half-written socket: up to 10 s after a large message. One
// reference that is never given back keeps that wait out of the destructor of a
// Client and out of the end of the process.
void KeepGrpcRunning() {
  [[maybe_unused]] static const bool running = (grpc_init(), true);
}

}  // namespace

std::shared_ptr<grpc::Channel> MakeChannel(const ClientOptions& options) {
  return grpc::CreateCustomChannel(
      options.address, grpc::InsecureChannelCredentials(), Arguments(options));
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> ConnectChannel(
    const ClientOptions& options) {
  if (absl::Status status = Validate(options); !status.ok()) return status;
  KeepGrpcRunning();
  std::shared_ptr<grpc::Channel> channel = MakeChannel(options);
  if (!channel->WaitForConnected(DeadlineAfter(options.connect_timeout))) {
    return absl::UnavailableError(
        absl::StrCat("no posenc server answers at ", options.address,
                     " (waited ", options.connect_timeout.count(), " ms)"));
  }
  return channel;
}

}  // namespace posenc
