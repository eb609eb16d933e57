#ifndef POSENC_REQUESTS_H_
#define POSENC_REQUESTS_H_

// What goes into a Connection and what comes out: plain structs, so that a
// field can be added without breaking a caller or a mock.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "posenc/encoding_spec.h"
#include "posenc/tensor.h"

namespace posenc {

// Order of the outer dimensions of a batch: [batch, sequence, …] or
// [sequence, batch, …].
enum class BatchLayout { kBatchFirst = 1, kSequenceFirst = 2 };

// How one call is made.
struct CallOptions {
  // Time until the call fails with DEADLINE_EXCEEDED. Default: that of the
  // ClientOptions.
  std::optional<std::chrono::milliseconds> timeout;

  // Asked before and during the call, from the calling thread, at least every
  // 100 ms; once true, the call ends with CANCELLED.
  std::function<bool()> cancelled;

  // Told how much of the response has been taken over, for progress bars: bytes
  // so far and in all. Streaming calls only (GetEncoding, GetTable).
  std::function<void(std::uint64_t bytes, std::uint64_t total)> progress;
};

// Where each token is. Default: 0, 1, 2, … along each sequence.
struct Positions {
  // Position of the first token of each sequence. Not beside `values`.
  std::optional<std::int64_t> offset;
  // A position for each token: kInt32, kInt64 or kFloat64 of shape [sequence]
  // or the shape of the batch.
  std::optional<TensorView> values;
  // Padded batch: [batch] lengths, kInt32 or kInt64.
  std::optional<TensorView> padded_lengths;
  // Packed ragged batch: lengths that sum to the input's tokens.
  std::optional<TensorView> packed_lengths;
};

// What is said beside the input of an Encode.
struct EncodeOptions {
  EncodingSpec encoding;
  BatchLayout batch_layout = BatchLayout::kBatchFirst;
  // Default: the input's dtype, or that of the embedding table.
  std::optional<DType> output_dtype;
  Positions positions;
  // Token ids only. May be empty when the server holds exactly one table.
  std::string embedding_table;
};

// A payload to send: copied, or shared and sent as it is.
using Payload = std::variant<TensorView, SharedTensor>;

struct EncodeParams {
  enum class Input { kEmbeddings, kTokenIds };
  Input input = Input::kEmbeddings;
  Payload payload;
  EncodeOptions options;
  // Where the output goes, if it is to go into a caller's memory. Must have
  // exactly the output's bytes, or the call fails with INVALID_ARGUMENT and
  // both numbers.
  std::optional<std::span<std::byte>> output;
  CallOptions call;
};

struct EncodeResult {
  // The spec in force.
  EncodingSpec encoding;
  // The number that embeddings were multiplied by.
  double embedding_scale = 1;
  // Token ids only: what was read.
  std::string embedding_table;
  std::string embedding_table_version;
  DType dtype = DType::kFloat32;
  Shape shape;
  // The values; empty if they went into the caller's memory.
  Tensor output;
};

struct GetEncodingParams {
  EncodingSpec encoding;  // d_model is required
  std::int64_t first_position = 0;
  std::uint64_t position_count = 0;
  // Instead of the range: kInt32, kInt64 or kFloat64, [rows].
  std::optional<TensorView> positions;
  DType dtype = DType::kFloat32;
  CallOptions call;
};

struct GetEncodingResult {
  EncodingSpec encoding;
  Tensor rows;  // [rows, d_model]
};

struct DescribeEncodingParams {
  EncodingSpec encoding;  // d_model is required
  DType dtype = DType::kFloat32;
  std::optional<std::uint64_t> collision_search_positions;
  CallOptions call;
};

struct EncodingDescription {
  EncodingSpec encoding;
  std::string operation;
  std::vector<double> frequencies;
  std::vector<double> wavelengths;
  double max_error = 0;
  DType dtype = DType::kFloat32;
  std::uint64_t positions_searched = 0;
  std::optional<std::uint64_t> first_collision;
  std::optional<std::uint64_t> collides_with;
  std::int64_t first_position = 0;
  std::int64_t last_position = 0;
};

struct TableInfo {
  std::string name;
  std::string version;
  DType dtype = DType::kFloat32;
  std::uint64_t rows = 0;
  std::uint64_t d_model = 0;
  std::uint64_t bytes = 0;
};

struct ListTablesParams {
  CallOptions call;
};

struct GetTableParams {
  std::string name;
  std::uint64_t first_row = 0;
  std::optional<std::uint64_t> row_count;  // default: all
  CallOptions call;
};

struct GetTableResult {
  TableInfo table;
  Tensor rows;  // [rows, d_model]
};

struct CachedEncoding {
  EncodingSpec encoding;
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t chunks_built = 0;
  std::uint64_t hits = 0;
};

struct CacheListing {
  std::vector<CachedEncoding> encodings;
  std::uint64_t bytes = 0;
  std::uint64_t capacity_bytes = 0;
  std::uint64_t hits = 0;
  std::uint64_t chunks_built = 0;
  std::uint64_t chunks_evicted = 0;
  std::string device;
  std::string server_version;
};

struct ListCacheParams {
  CallOptions call;
};

struct WarmCacheParams {
  EncodingSpec encoding;  // d_model is required
  std::int64_t first_position = 0;
  std::uint64_t position_count = 0;
  CallOptions call;
};

struct WarmCacheResult {
  EncodingSpec encoding;
  std::uint64_t chunks_built = 0;
  std::uint64_t chunks_found = 0;
};

struct EvictCacheParams {
  std::optional<EncodingSpec> encoding;  // empty: all
  CallOptions call;
};

struct EvictCacheResult {
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
};

struct CheckHealthParams {
  CallOptions call;
};

enum class Health { kServing, kNotServing };

struct EncodeStreamParams {
  CallOptions call;
};

}  // namespace posenc

#endif  // POSENC_REQUESTS_H_
