#ifndef POSENC_REQUESTS_H_
#define POSENC_REQUESTS_H_

// What goes into a Connection and what comes out: plain structs, so that a
// field can be added without breaking a caller or a mock. Every field has a
// default, so that {.name = "words"} is enough, and compiles without warnings.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "posenc/encoding_spec.h"
#include "posenc/tensor.h"

namespace posenc {

// Order of the outer dimensions of a batch.
enum class BatchLayout {
  kBatchFirst = 1,     // [batch, sequence, …]
  kSequenceFirst = 2,  // [sequence, batch, …]
  kHeadsSequence = 3,  // [batch, heads, sequence, d_model]
  kSequenceHeads = 4,  // [batch, sequence, heads, d_model]
};

// How one call is made.
struct CallOptions {
  // Time until the call fails with DEADLINE_EXCEEDED. Default: that of the
  // ClientOptions.
  std::optional<std::chrono::milliseconds> timeout = {};

  // Asked before and during the call, from the calling thread, at least every
  // 100 ms; once true, the call ends with CANCELLED. Default: never.
  std::function<bool()> cancelled = {};

  // Told how much of the response has been taken over, for progress bars: bytes
  // so far and in all, from the calling thread. Streaming calls only
  // (GetEncoding, GetTable). Default: nobody is told.
  std::function<void(std::uint64_t bytes, std::uint64_t total)> progress = {};
};

// Where each token is. Default: 0, 1, 2, … along each sequence.
struct Positions {
  // Position of the first token of each sequence; may be negative. Not beside
  // `values`. Default 0.
  std::optional<std::int64_t> offset = {};
  // A position for each token: kInt32, kInt64 or kFloat64 of shape [sequence]
  // or the shape of the batch.
  std::optional<TensorView> values = {};
  // At most one of the five.
  //
  // Padded batch: the number of tokens of each sequence, kInt32 or kInt64,
  // [batch].
  std::optional<TensorView> padded_lengths = {};
  // Ragged batch, packed without padding: the number of tokens of each
  // sequence, kInt32 or kInt64, [sequences]; they sum to the input's tokens.
  std::optional<TensorView> packed_lengths = {};
  // Padded batch: 1 for a token, 0 for padding, kInt32 or kInt64, [batch,
  // sequence], or with the tokens of earlier calls [batch, past + sequence].
  std::optional<TensorView> attention_mask = {};
  // Padded batch of token ids: padding is where the id is this one.
  std::optional<std::int64_t> padding_id = {};
  // Distance of neighbours' positions. Not beside any of the five. Default 1.
  std::optional<double> stride = {};
};

// Zeroes elements of the output with probability `rate` and multiplies the
// others by 1 / (1 - rate). Which ones depends on seed, request_position and
// the element's index alone (Philox 4x32-10; positional_encoding.proto).
struct Dropout {
  double rate = 0;  // 0 ≤ rate < 1
  std::uint64_t seed = 0;
  std::uint64_t request_position = 0;  // for example the number of the batch
};

// What is said beside the input of an Encode.
struct EncodeOptions {
  // Default: profile "torchlingo", d_model that of the input.
  EncodingSpec encoding = {};
  // Order of the input's dimensions, and of the output's.
  BatchLayout batch_layout = BatchLayout::kBatchFirst;
  // Default: the input's dtype, or that of the embedding table.
  std::optional<DType> output_dtype = {};
  // Default: 0, 1, 2, … along each sequence.
  Positions positions = {};
  // Token ids only: the table to look them up in. May be empty when the server
  // holds exactly one table.
  std::string embedding_table = {};
  // Default: none.
  std::optional<Dropout> dropout = {};
};

// A payload to send: copied, or shared and sent as it is.
using Payload = std::variant<TensorView, SharedTensor>;

// One Encode, or one message of an EncodeStream.
struct EncodeParams {
  // What the payload is: embeddings [batch, sequence, d_model], or token ids
  // [batch, sequence].
  enum class Input { kEmbeddings, kTokenIds };
  Input input = Input::kEmbeddings;
  Payload payload = {};
  EncodeOptions options = {};
  // Where the output goes, if it is to go into a caller's memory. Must have
  // exactly the output's bytes, or the call fails with INVALID_ARGUMENT and
  // both numbers. After a failed call its content is unspecified.
  std::optional<std::span<std::byte>> output = {};
  // Leaves the output in EncodeResult::segments. Not used beside `output`.
  bool segmented = false;
  CallOptions call = {};
};

struct EncodeResult {
  // The spec in force, every field of its family set.
  EncodingSpec encoding = {};
  // The number that embeddings were multiplied by.
  double embedding_scale = 1;
  // Token ids only: the table that was read, and its version.
  std::string embedding_table = {};
  std::string embedding_table_version = {};
  // Those of the output: the input's shape, with d_model as last dimension.
  DType dtype = DType::kFloat32;
  Shape shape = {};
  // The values; empty if they went into the caller's memory or into `segments`.
  Tensor output = {};
  // The values, if EncodeParams::segmented asked for them in this form.
  SegmentedTensor segments = {};
};

struct GetEncodingParams {
  EncodingSpec encoding = {};  // d_model is required
  // A range of positions: the first, which may be negative, and how many; 0 is
  // INVALID_ARGUMENT.
  std::int64_t first_position = 0;
  std::uint64_t position_count = 0;
  // Instead of the range: a position for each row, kInt32, kInt64 or kFloat64,
  // [rows].
  std::optional<TensorView> positions = {};
  // A floating-point type.
  DType dtype = DType::kFloat32;
  CallOptions call = {};
};

struct GetEncodingResult {
  EncodingSpec encoding = {};  // the spec in force
  // [rows, d_model]. Rotary: the cosines of the pairs, then their sines, [rows,
  // rotary_dimension].
  Tensor rows = {};
};

struct DescribeEncodingParams {
  EncodingSpec encoding = {};  // d_model is required
  // The dtype to state bounds for.
  DType dtype = DType::kFloat32;
  // How many positions from 0 to search for two equal rows. Default: the
  // server's, 65 536; at most 1 048 576.
  std::optional<std::uint64_t> collision_search_positions = {};
  CallOptions call = {};
};

struct EncodingDescription {
  // The spec in force, every field of its family set.
  EncodingSpec encoding = {};
  // What is done with a row: "add", "rotate", "none".
  std::string operation = {};
  // All with angles: w_i in radians a position, and 2π / w_i in positions.
  std::vector<double> frequencies = {};
  std::vector<double> wavelengths = {};
  // Largest |value - true value| of an element in `dtype`.
  double max_error = 0;
  DType dtype = DType::kFloat32;
  // Positions searched from 0, and the first one whose row, rounded to `dtype`,
  // equals that of an earlier one (empty: none was found).
  std::uint64_t positions_searched = 0;
  std::optional<std::uint64_t> first_collision = {};
  std::optional<std::uint64_t> collides_with = {};
  // Sinusoidal: positions for which max_error is promised. Learned: positions
  // that the table has a row for.
  std::int64_t first_position = 0;
  std::int64_t last_position = 0;
  // Rotary: what sines and cosines are multiplied by.
  std::optional<double> attention_factor = {};
  // Sinusoidal, rotary: largest difference of an element to the float32 mode,
  // over so many positions from 0.
  std::optional<double> float32_difference = {};
  std::uint64_t float32_positions = 0;
};

struct ListProfilesParams {
  CallOptions call = {};
};

// A named spec.
struct Profile {
  std::string name = {};
  // What it equals: a library, and a name in it.
  std::string library = {};
  std::string symbol = {};
  // The version of the library whose numbers it was checked against; empty
  // where it follows source or paper alone.
  std::string checked_version = {};
  EncodingSpec encoding = {};
};

// An embedding table that the server holds.
struct TableInfo {
  std::string name = {};
  // Identifies the content that the name stands for.
  std::string version = {};
  DType dtype = DType::kFloat32;
  std::uint64_t rows = 0;
  std::uint64_t d_model = 0;
  std::uint64_t bytes = 0;  // rows * d_model * SizeOf(dtype)
};

struct ListTablesParams {
  CallOptions call = {};
};

struct GetTableParams {
  std::string name = {};
  // OUT_OF_RANGE if the table has no row of that number.
  std::uint64_t first_row = 0;
  // Default: all from first_row on. 0: what the table is, without rows.
  std::optional<std::uint64_t> row_count = {};
  CallOptions call = {};
};

struct GetTableResult {
  TableInfo table = {};
  Tensor rows = {};  // [rows, d_model]
};

struct CachedEncoding {
  EncodingSpec encoding = {};  // the spec in force
  // Chunks of positions that are held, and their bytes.
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
  // Since the encoding was first used: chunks built, and look-ups that found
  // theirs.
  std::uint64_t chunks_built = 0;
  std::uint64_t hits = 0;
};

struct CacheListing {
  // Most recently used first.
  std::vector<CachedEncoding> encodings = {};
  // Bytes held, and the budget.
  std::uint64_t bytes = 0;
  std::uint64_t capacity_bytes = 0;
  // Since the server started.
  std::uint64_t hits = 0;
  std::uint64_t chunks_built = 0;
  std::uint64_t chunks_evicted = 0;
  // Where the tables are, and what runs there: "cpu, AVX2".
  std::string device = {};
  std::string server_version = {};
};

struct ListCacheParams {
  CallOptions call = {};
};

struct WarmCacheParams {
  EncodingSpec encoding = {};  // d_model is required
  // The positions to build: the first, which may be negative, and how many; 0
  // is INVALID_ARGUMENT.
  std::int64_t first_position = 0;
  std::uint64_t position_count = 0;
  CallOptions call = {};
};

struct WarmCacheResult {
  EncodingSpec encoding = {};  // the spec in force
  // Chunks of the range that this call built, and those held before.
  std::uint64_t chunks_built = 0;
  std::uint64_t chunks_found = 0;
};

struct EvictCacheParams {
  // Default: all. d_model is required.
  std::optional<EncodingSpec> encoding = {};
  CallOptions call = {};
};

// What was dropped.
struct EvictCacheResult {
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
};

struct CheckHealthParams {
  CallOptions call = {};
};

// kNotServing: the server is starting or draining.
enum class Health { kServing, kNotServing };

struct EncodeStreamParams {
  // Of the stream as a whole: `timeout` ends it, and `cancelled` is asked from
  // each thread that waits in one of its methods, maybe from two at once.
  CallOptions call = {};
};

}  // namespace posenc

#endif  // POSENC_REQUESTS_H_
