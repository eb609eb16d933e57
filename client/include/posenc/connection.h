#ifndef POSENC_CONNECTION_H_
#define POSENC_CONNECTION_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "posenc/requests.h"

namespace posenc {

// A running EncodeStream. One thread may send while another receives; neither
// call may be made from two threads at once. FinishSending counts as sending,
// Finish as receiving. Destroying it, when neither is running, cancels what is
// left. It may outlive its Connection.
class EncodeStream {
 public:
  virtual ~EncodeStream() = default;

  // Sends a request; blocks while the server does not read. `params.output`,
  // `params.segmented` and `params.call` are not used. A request that is
  // refused before it is sent (INVALID_ARGUMENT, RESOURCE_EXHAUSTED: too large)
  // has no place in the stream, which goes on. CANCELLED once `cancelled` has
  // said so, UNAVAILABLE once the stream has broken: Receive what there still
  // is, then Finish says why. FAILED_PRECONDITION after FinishSending. While it
  // runs, the request counts towards ClientOptions::max_bytes_in_flight;
  // DEADLINE_EXCEEDED if it has waited for that until the stream's end.
  virtual absl::Status Send(const EncodeParams& params) = 0;

  // No more requests. Responses may still come. A second call does nothing.
  // CANCELLED and UNAVAILABLE as with Send, but OK if the server has ended the
  // stream by itself.
  virtual absl::Status FinishSending() = 0;

  // The answer to the next request in order: its result or its own error.
  // nullopt when the stream has ended; Finish then says how.
  virtual std::optional<absl::StatusOr<EncodeResult>> Receive() = 0;

  // The status of the stream as a whole, once Receive has given nullopt;
  // FAILED_PRECONDITION before.
  virtual absl::Status Finish() = 0;
};

// What a Client talks to: a server, or a mock (posenc/mocks/). Thread-safe.
// Each method is the Client's of the same name, which documents it.
class Connection {
 public:
  virtual ~Connection() = default;

  virtual absl::StatusOr<EncodeResult> Encode(const EncodeParams& params) = 0;
  virtual absl::StatusOr<std::unique_ptr<EncodeStream>> OpenEncodeStream(
      const EncodeStreamParams& params) = 0;
  virtual absl::StatusOr<GetEncodingResult> GetEncoding(
      const GetEncodingParams& params) = 0;
  virtual absl::StatusOr<EncodingDescription> DescribeEncoding(
      const DescribeEncodingParams& params) = 0;
  virtual absl::StatusOr<std::vector<Profile>> ListProfiles(
      const ListProfilesParams& params) = 0;
  virtual absl::StatusOr<std::vector<TableInfo>> ListTables(
      const ListTablesParams& params) = 0;
  virtual absl::StatusOr<GetTableResult> GetTable(
      const GetTableParams& params) = 0;
  virtual absl::StatusOr<CacheListing> ListCache(
      const ListCacheParams& params) = 0;
  virtual absl::StatusOr<WarmCacheResult> WarmCache(
      const WarmCacheParams& params) = 0;
  virtual absl::StatusOr<EvictCacheResult> EvictCache(
      const EvictCacheParams& params) = 0;
  virtual absl::StatusOr<Health> CheckHealth(
      const CheckHealthParams& params) = 0;
};

}  // namespace posenc

#endif  // POSENC_CONNECTION_H_
