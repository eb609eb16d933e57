#ifndef POSENC_SERVER_BASE_LIMITS_H_
#define POSENC_SERVER_BASE_LIMITS_H_

#include <cstddef>
#include <cstdint>

// Every limit of the server, with its unit. Those that an operator can change
// are the defaults of Config (server/config.h).
namespace posenc::server {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

// --- Encodings -------------------------------------------------------------

// Channels of a row.
inline constexpr std::uint64_t kMaxDModel = 65536;
// Bases: at 1e-6 the product of the largest position below and the largest
// frequency still leaves 1e-15 after reduction modulo 2π.
inline constexpr double kMinBase = 1e-6;
inline constexpr double kMaxBase = 1e30;
// EncodingSpec.angle_scale. The largest, times the largest frequency, is no
// more than the largest frequency of the least base, for the same reason.
inline constexpr double kMinAngleScale = 1e-6;
inline constexpr double kMaxAngleScale = 1e6;
// |EncodingSpec.encoding_factor|.
inline constexpr double kMinEncodingFactor = 1e-30;
inline constexpr double kMaxEncodingFactor = 1e30;
// Axes of a grid, indices of one axis, and rows of the whole grid.
inline constexpr std::size_t kMaxGridAxes = 3;
inline constexpr std::uint64_t kMaxGridSize = 65536;
inline constexpr std::uint64_t kMaxGridRows = std::uint64_t{1} << 31;
// Base sizes and interpolations of a grid's axis.
inline constexpr double kMinGridRatio = 1e-6;
inline constexpr double kMaxGridRatio = 1e6;
// |coordinate| of a grid's token, as its frequencies are multiplied by it: with
// the largest of those, 1e-15 is left after reduction modulo 2π.
inline constexpr double kMaxGridCoordinate = 2e9;
// Least |last coordinate + 1e-6| that coordinates are divided by.
inline constexpr double kMinGridDivisor = 1e-7;
// Rows before a grid's.
inline constexpr std::uint64_t kMaxClassRows = 65536;
// Factors of FrequencyScaling, and the lengths it may name, in positions.
inline constexpr double kMinScalingFactor = 1e-6;
inline constexpr double kMaxScalingFactor = 1e6;
inline constexpr std::uint64_t kMaxContext = std::uint64_t{1} << 31;
// Buckets of relative positions, and the distance that ends them.
inline constexpr std::uint64_t kMaxBuckets = 65536;
inline constexpr std::uint64_t kMaxBucketDistance = std::uint64_t{1} << 31;
// |EncodingSpec.start|, in positions.
inline constexpr std::int64_t kMaxStart = 1000000000;
// |position|: every integer up to here is a double.
inline constexpr std::int64_t kMaxPosition = std::int64_t{1} << 53;
// |position| up to which values are promised to be exact.
inline constexpr std::int64_t kMaxExactPosition = 1000000000;
// |position + start| that float32 tells apart from its neighbours.
inline constexpr std::int64_t kMaxFloat32Position = std::int64_t{1} << 24;
// Bytes of a profile's or a table's name.
inline constexpr std::size_t kMaxNameBytes = 256;

// --- Encoding tables -------------------------------------------------------

// Rows of a chunk, in positions.
inline constexpr std::int64_t kChunkRows = 256;
// Bytes of all chunks.
inline constexpr std::uint64_t kDefaultCacheBytes = 1 * kGiB;
// Encodings that the cache keeps counters for.
inline constexpr std::size_t kMaxCachedEncodings = 4096;

// --- Messages --------------------------------------------------------------

// Bytes of one request or response; a 1 GiB tensor and its header fit.
inline constexpr std::uint64_t kDefaultMaxMessageBytes = kGiB + kMiB;
// gRPC holds the size of a message in an int.
inline constexpr std::uint64_t kLargestMaxMessageBytes = 2147483647;
// Bytes of a message apart from its payloads.
inline constexpr std::size_t kMaxHeaderBytes = 64 * kKiB;
// Bytes of all messages that gRPC has received and not yet freed; a response
// may be made in the place of its request.
inline constexpr std::uint64_t kDefaultReceiveBytes = 4 * kGiB;
// Bytes of all responses that are not yet sent.
inline constexpr std::uint64_t kDefaultResponseBytes = 4 * kGiB;
// Bytes of free response buffers kept for reuse.
inline constexpr std::uint64_t kPooledBytes = 512 * kMiB;
// Dimensions of a tensor.
inline constexpr std::size_t kMaxRank = 8;
// Responses of an EncodeStream that wait for the caller to read.
inline constexpr std::size_t kMaxStreamBacklog = 4;
// Bytes of a piece of GetEncoding and EmbeddingTables.Get.
inline constexpr std::size_t kStreamPieceBytes = 4 * kMiB;
// Bytes of input and output from which a job runs on a worker instead of the
// thread that received it: about a tenth of a millisecond.
inline constexpr std::uint64_t kLargeJobBytes = 2 * kMiB;
// Plans that each polling thread remembers, for messages that begin like an
// earlier one, and positions of the longest.
inline constexpr std::size_t kKnownPlans = 16;
inline constexpr std::size_t kMaxKnownPositions = 65536;
// Bytes of such a beginning, all that comes before the payload.
inline constexpr std::size_t kMaxKnownBeginningBytes = 512;
// Rows of one GetEncoding.
inline constexpr std::uint64_t kMaxGetEncodingRows = std::uint64_t{1} << 31;
// Positions searched by DescribeEncoding.
inline constexpr std::uint64_t kDefaultCollisionSearch = 65536;
inline constexpr std::uint64_t kMaxCollisionSearch = 1048576;
// Elements evaluated for that: positions times d_model.
inline constexpr std::uint64_t kMaxCollisionElements = std::uint64_t{1} << 28;
// Elements compared there with the float32 mode; each costs ten times as much.
inline constexpr std::uint64_t kMaxParityElements = std::uint64_t{1} << 24;
// Tables on a page of EmbeddingTables.List.
inline constexpr std::size_t kMaxTablesPage = 1000;

// --- Embedding tables ------------------------------------------------------

// Bytes of the JSON header of a .safetensors file.
inline constexpr std::uint64_t kMaxSafetensorsHeaderBytes = 64 * kMiB;
// Bytes of the header of a .npy file.
inline constexpr std::uint64_t kMaxNpyHeaderBytes = 64 * kKiB;
// Tensors of a .safetensors file.
inline constexpr std::size_t kMaxTensorsInFile = 65536;
// Files of a tables directory, and the mappings that they take.
inline constexpr std::size_t kMaxTableFiles = 1024;

}  // namespace posenc::server

#endif  // POSENC_SERVER_BASE_LIMITS_H_
