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
// |EncodingSpec.start|, in positions.
inline constexpr std::int64_t kMaxStart = 1000000000;
// |position|: every integer up to here is a double.
inline constexpr std::int64_t kMaxPosition = std::int64_t{1} << 53;
// |position| up to which values are promised to be exact.
inline constexpr std::int64_t kMaxExactPosition = 1000000000;
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
