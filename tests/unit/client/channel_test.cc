#include "client/src/channel.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "posenc/client.h"
#include "tests/unit/client/fake_server.h"

namespace posenc {
namespace {

using testing::HasSubstr;

ClientOptions WithAddress(const std::string& address) {
  ClientOptions options;
  options.address = address;
  return options;
}

void ExpectInvalid(const ClientOptions& options, const std::string& text) {
  const auto client = Client::Connect(options);
  EXPECT_EQ(client.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(client.status().message()), HasSubstr(text));
}

// A port that stays taken, and that nobody listens on.
class ClosedPort {
 public:
  ClosedPort() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(socket_, any, size), 0);
    EXPECT_EQ(getsockname(socket_, any, &size), 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~ClosedPort() { close(socket_); }

  const std::string& address() const { return address_; }

 private:
  int socket_;
  std::string address_;
};

TEST(Connect, AddressOfAnotherFormIsRefused) {
  for (const char* address :
       {"", "localhost", "localhost:", ":50051", "localhost:0",
        "localhost:65536", "localhost:http", "localhost:-1", "::1:50051",
        "unix:", "http://localhost:50051"}) {
    SCOPED_TRACE(address);
    ExpectInvalid(WithAddress(address),
                  "ClientOptions::address is \"" + std::string(address) +
                      "\" but must be \"host:port\" or \"unix:/path\"");
  }
}

TEST(Connect, TimeoutsOfZeroOrLessAreRefused) {
  ClientOptions options;
  options.timeout = std::chrono::milliseconds(0);
  ExpectInvalid(options, "timeout is 0 ms but must be at least 1 ms");
  options = ClientOptions();
  options.connect_timeout = std::chrono::milliseconds(-5);
  ExpectInvalid(options, "connect_timeout is -5 ms but must be at least 1 ms");
}

TEST(Connect, MessageSizesThatGrpcCannotHoldAreRefused) {
  ClientOptions options;
  for (const std::uint64_t bytes :
       {std::uint64_t{0}, std::uint64_t{1} << 31, ~std::uint64_t{0}}) {
    options.max_message_bytes = bytes;
    ExpectInvalid(options, "max_message_bytes is " + std::to_string(bytes) +
                               " but must be 1 … 2147483647");
  }
}

TEST(Connect, ConnectionsOutOfRangeAreRefused) {
  ClientOptions options;
  for (const std::size_t connections : {std::size_t{0}, kMostConnections + 1}) {
    options.max_connections = connections;
    ExpectInvalid(options, "max_connections is " + std::to_string(connections) +
                               " but must be 1 … 64");
  }
}

TEST(Connect, NoBytesInFlightAreRefused) {
  ClientOptions options;
  options.max_bytes_in_flight = 0;
  ExpectInvalid(options, "max_bytes_in_flight is 0 but must be at least 1");
}

TEST(Connect, NobodyThere) {
  const ClosedPort port;
  ClientOptions options = WithAddress(port.address());
  options.connect_timeout = std::chrono::milliseconds(120);
  const auto client = Client::Connect(options);
  EXPECT_EQ(client.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(client.status().message(), "no posenc server answers at " +
                                           port.address() + " (waited 120 ms)");
}

TEST(Connect, NoSuchSocket) {
  ClientOptions options = WithAddress("unix:/no/such/socket");
  options.connect_timeout = std::chrono::milliseconds(10);
  EXPECT_EQ(Client::Connect(options).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST(Connect, ProxyOfTheEnvironmentIsNotAskedForLoopback) {
  const ClosedPort proxy;
  // Stays set: gRPC's threads might read the environment as it changes.
  setenv("http_proxy", ("http://" + proxy.address()).c_str(), 1);
  const FakeServer server;
  const auto client = Client::Connect(WithAddress(server.address()));
  EXPECT_TRUE(client.ok()) << client.status();
}

// Shutting gRPC down would make the destructor of the last client wait.
TEST(Connect, GrpcRunsOnAfterTheLastClient) {
  {
    const FakeServer server;
    EXPECT_TRUE(Client::Connect(WithAddress(server.address())).ok());
  }
  EXPECT_NE(grpc_is_initialized(), 0);
}

TEST(Connect, EachHasAConnectionOfItsOwn) {
  FakeServer server;
  std::vector<std::string> peers;
  EXPECT_CALL(server.encoding, Encode)
      .Times(2)
      .WillRepeatedly([&](grpc::ServerContext* context, auto, auto) {
        peers.push_back(context->peer());
        return grpc::Status(grpc::StatusCode::NOT_FOUND, "no");
      });
  auto first = Client::Connect(WithAddress(server.address()));
  auto second = Client::Connect(WithAddress(server.address()));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->Encode(TensorView()).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(second->Encode(TensorView()).status().code(),
            absl::StatusCode::kNotFound);
  ASSERT_EQ(peers.size(), 2u);
  EXPECT_NE(peers[0], peers[1]);
}

}  // namespace
}  // namespace posenc
