#ifndef POSENC_SERVER_SERVICE_ENGINE_H_
#define POSENC_SERVER_SERVICE_ENGINE_H_

// The one seam between the wire and the work: plain structs in, plain structs
// and absl::Status out. Every view in a request is alive until the call
// returns. Errors are those of the contract.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/base/tensor.h"
#include "server/core/collision.h"
#include "server/core/embedding_store.h"
#include "server/core/encoding_spec.h"
#include "server/core/positions.h"
#include "server/core/table_cache.h"
#include "server/devices/device.h"

namespace posenc::server {

using TablePointer = std::shared_ptr<const EmbeddingTable>;

struct EncodeRequest {
  SpecFields encoding;
  BatchLayout layout = BatchLayout::kBatchFirst;
  std::optional<DType> output_dtype;
  PositionFields positions;
  std::string embedding_table;
  std::optional<Dropout> dropout;
  // Exactly one, or INVALID_ARGUMENT.
  std::optional<TensorView> embeddings;
  std::optional<TensorView> token_ids;
};

// A request, checked and settled: all that does not depend on the values of its
// embeddings. Immutable, and good for any number of runs.
struct EncodePlan {
  // What the response says, apart from its output's values.
  EncodingSpec encoding;
  BatchLayout layout = BatchLayout::kBatchFirst;
  double embedding_scale = 1;
  DType dtype = DType::kFloat32;
  Shape shape;
  std::uint64_t output_bytes = 0;
  // Token ids only: the table, pinned, and the rows to read.
  TablePointer table;
  std::vector<std::uint64_t> ids;
  // The work.
  std::uint64_t rows = 0;
  DType input_dtype = DType::kFloat32;
  PositionList positions;
  std::optional<Dropout> dropout;
  std::weak_ptr<TableCache::Entry> cache_entry;

  // Whether an equal request gets an equal plan at any time: no table, whose
  // name may come to stand for another, is read.
  bool ReadsNoTable() const {
    return table == nullptr && encoding.position_table.empty();
  }
};

// Whether an output may take the place of the payload it is made from: that
// must be writable memory then, which nobody else reads.
enum class Overwrite { kNever, kIfItFits };

struct GetEncodingRequest {
  SpecFields encoding;
  std::int64_t first_position = 0;
  std::uint64_t position_count = 0;
  DType dtype = DType::kFloat32;
  std::optional<TensorView> positions;
};

// Rows of a matrix, row-major: the next ones of a stream.
struct RowsPiece {
  DType dtype = DType::kFloat32;
  std::uint64_t rows = 0;
  std::uint64_t width = 0;
  std::span<const std::byte> data;
};

// Takes the next piece; false ends the call with CANCELLED.
using RowsSink = std::function<bool(const RowsPiece& piece)>;

struct DescribeRequest {
  SpecFields encoding;
  DType dtype = DType::kFloat32;
  std::optional<std::uint64_t> collision_search_positions;
};

struct Description {
  EncodingSpec encoding;
  Op op = Op::kAdd;
  std::vector<double> frequencies;
  std::optional<double> max_error;
  DType dtype = DType::kFloat32;
  std::uint64_t positions_searched = 0;
  std::optional<Collision> collision;
  // What the float32 mode is off by, over that many positions from 0.
  std::optional<double> float32_difference;
  std::uint64_t float32_positions = 0;
  PositionRange range;
  std::optional<double> attention_factor;  // of encodings that rotate
};

struct TableRowsRequest {
  std::string name;
  std::uint64_t first_row = 0;
  std::optional<std::uint64_t> row_count;
};

struct CacheListing {
  TableCache::Stats stats;
  std::string device;
};

struct WarmRequest {
  SpecFields encoding;
  std::int64_t first_position = 0;
  std::uint64_t position_count = 0;
};

struct WarmResponse {
  EncodingSpec encoding;
  std::uint64_t chunks_built = 0;
  std::uint64_t chunks_found = 0;
};

// Thread-safe.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual absl::StatusOr<EncodePlan> Plan(const EncodeRequest& request) = 0;

  // The output of a plan for these embeddings, whose size the plan was made
  // for; for token ids there are none. An empty buffer: the output has taken
  // their place.
  virtual absl::StatusOr<ResponseBuffer> Run(const EncodePlan& plan,
                                             Segments embeddings,
                                             Overwrite overwrite) = 0;

  // Calls `start` with the spec in force, then `sink` for each piece.
  virtual absl::Status GetEncoding(
      const GetEncodingRequest& request,
      const std::function<void(const EncodingSpec&)>& start,
      const RowsSink& sink) = 0;

  virtual absl::StatusOr<Description> DescribeEncoding(
      const DescribeRequest& request) = 0;

  // By name.
  virtual std::vector<TablePointer> ListTables() = 0;

  // Calls `start` with the table, then `sink` for each piece.
  virtual absl::Status GetTable(
      const TableRowsRequest& request,
      const std::function<void(const EmbeddingTable&)>& start,
      const RowsSink& sink) = 0;

  virtual CacheListing ListCache() = 0;
  virtual absl::StatusOr<WarmResponse> WarmCache(
      const WarmRequest& request) = 0;
  // No fields: all encodings.
  virtual absl::StatusOr<TableCache::Evicted> EvictCache(
      const std::optional<SpecFields>& encoding) = 0;
};

struct EngineLimits {
  // Bytes of a response, header included (--max-message-bytes).
  std::uint64_t max_message_bytes = 0;
};

// An engine on one device. All three must outlive it.
std::unique_ptr<Engine> MakeEngine(Device& device, const EmbeddingStore& tables,
                                   TableCache& cache,
                                   const EngineLimits& limits);

}  // namespace posenc::server

#endif  // POSENC_SERVER_SERVICE_ENGINE_H_
