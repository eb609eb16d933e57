#ifndef POSENC_CLIENT_H_
#define POSENC_CLIENT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "posenc/connection.h"
#include "posenc/requests.h"

namespace posenc {

// How to reach a server. Every field has a default that works with a server
// started without arguments.
struct ClientOptions {
  // "host:port", or "unix:/path". Default: that of a server started without
  // arguments.
  std::string address = "127.0.0.1:50051";

  // Time until a call without its own timeout fails with DEADLINE_EXCEEDED.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);

  // Time that Connect waits for the server.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);

  // Bytes of the largest message, either way, at most 2^31 - 1. The default
  // takes a 1 GiB tensor and its header. The server has a limit of its own
  // (--max-message-bytes).
  std::uint64_t max_message_bytes = (std::uint64_t{1} << 30) + (1 << 20);

  // TCP connections to the server, 1 … kMostConnections. One is slower than
  // several calls together; another one is made when a call comes while each
  // has a call under way, so that a caller that makes one call at a time has
  // one. More than the server has threads are of no use.
  std::size_t max_connections = 4;

  // Bytes of all requests together that are on their way to an answer, at least
  // 1. A call that would go beyond waits for others to end; one that is larger
  // by itself goes alone. It bounds the memory of callers with many threads:
  // responses, about as large as their requests, come on top.
  std::uint64_t max_bytes_in_flight = (std::uint64_t{1} << 30) + (1 << 20);
};

inline constexpr std::size_t kMostConnections = 64;

// Puts positions into tensors, through a posenc server.
//
//   absl::StatusOr<posenc::Client> client = posenc::Client::Connect({});
//   auto result = client->Encode(
//       posenc::TensorView(std::span<const float>(values), {2, 100, 512}));
//
// Errors are those of the contract (see the README's table) and those of the
// connection: UNAVAILABLE (no server), DEADLINE_EXCEEDED (also when the call
// waited for max_bytes_in_flight, which the message then names), CANCELLED,
// RESOURCE_EXHAUSTED (a message over max_message_bytes), INTERNAL (a response
// that contradicts itself). ErrorReason (posenc/error.h) gives the server's
// machine-readable reason.
//
// Thread-safe. Copies share their connections; each Connect makes its own.
class Client {
 public:
  // Connects, and waits for the server. INVALID_ARGUMENT for bad options,
  // UNAVAILABLE, naming the address, if nobody answers in connect_timeout.
  static absl::StatusOr<Client> Connect(const ClientOptions& options);

  // Over a connection of one's own: a mock, say.
  explicit Client(std::shared_ptr<Connection> connection);

  // Embeddings [batch, sequence, d_model] plus their encoding. The view is
  // copied once into the message; a SharedTensor is sent without a copy.
  absl::StatusOr<EncodeResult> Encode(const Payload& embeddings,
                                      const EncodeOptions& options = {},
                                      const CallOptions& call = {});

  // The same into memory of the caller's, which must have exactly the output's
  // bytes.
  absl::StatusOr<EncodeResult> EncodeInto(std::span<std::byte> output,
                                          const Payload& embeddings,
                                          const EncodeOptions& options = {},
                                          const CallOptions& call = {});

  // The same without a copy of the output, which stays in the pieces in which
  // it came: the result's `segments`, not its `output`.
  absl::StatusOr<EncodeResult> EncodeSegmented(
      const Payload& embeddings, const EncodeOptions& options = {},
      const CallOptions& call = {});

  // Rows of an embedding table, for token ids [batch, sequence] of kInt32 or
  // kInt64, times the embedding scale, plus their encoding.
  absl::StatusOr<EncodeResult> EncodeTokens(const Payload& token_ids,
                                            const EncodeOptions& options = {},
                                            const CallOptions& call = {});

  // Many requests in flight, answered in order. The timeout is that of the
  // stream as a whole.
  absl::StatusOr<std::unique_ptr<EncodeStream>> OpenEncodeStream(
      const CallOptions& call = {});

  // Rows of an encoding, in pieces on the wire, in one tensor here.
  absl::StatusOr<GetEncodingResult> GetEncoding(
      const GetEncodingParams& params);

  // What a spec means: its canonical form, its frequencies, its limits.
  absl::StatusOr<EncodingDescription> DescribeEncoding(
      const DescribeEncodingParams& params);

  // The named specs that the server knows, ordered by name.
  absl::StatusOr<std::vector<Profile>> ListProfiles(
      const ListProfilesParams& params = {});

  // The embedding tables that the server holds, ordered by name.
  absl::StatusOr<std::vector<TableInfo>> ListTables(
      const ListTablesParams& params = {});

  // Rows of an embedding table. NOT_FOUND if there is none of that name.
  absl::StatusOr<GetTableResult> GetTable(const GetTableParams& params);

  // The encoding tables that the server has built, and its counters.
  absl::StatusOr<CacheListing> ListCache(const ListCacheParams& params = {});

  // Builds encoding tables now. RESOURCE_EXHAUSTED, with both numbers, if they
  // do not fit the server's budget.
  absl::StatusOr<WarmCacheResult> WarmCache(const WarmCacheParams& params);

  // Drops the built tables of one encoding, or of all. Changes no value.
  absl::StatusOr<EvictCacheResult> EvictCache(
      const EvictCacheParams& params = {});

  // Whether the server takes calls. UNAVAILABLE if nobody answers.
  absl::StatusOr<Health> CheckHealth(const CheckHealthParams& params = {});

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace posenc

#endif  // POSENC_CLIENT_H_
