#ifndef POSENC_SERVER_CORE_ENCODINGS_ENCODING_H_
#define POSENC_SERVER_CORE_ENCODINGS_ENCODING_H_

// An encoding turns positions into rows and names the op that a device runs on
// them. Nothing else knows which encodings there are.
//
// To add a family: an EncodingKind and its fields (encoding_spec.h, the proto
// and its codec), a file pair beside this one, a line in registry.cc, and a
// line in tests/conformance/encoding_test.cc.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/base/dtype.h"

namespace posenc::server {

// What a device does with the rows.
enum class Op {
  kAdd,     // output = scale * input + row
  kRotate,  // pairs of scale * input turned by the row's cosines and sines
  kNone,    // nothing: the rows are for the caller to use
};

// "add".
absl::string_view Name(Op op);

// First and last position that have rows.
struct PositionRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// Rows are made and held in chunks of kChunkRows positions: the index of the
// chunk that holds a position.
std::int64_t ChunkOf(std::int64_t position);

// Immutable and thread-safe. Rows are double, and a pure function of the
// position: the same bits whichever call, and whichever range, made them.
class Encoding {
 public:
  virtual ~Encoding() = default;

  virtual Op op() const = 0;

  // Elements of a row.
  virtual std::uint64_t width() const = 0;

  virtual PositionRange range() const = 0;

  // What the encoding itself holds, in bytes; it counts against the budget of
  // the tables built from it.
  virtual std::uint64_t bytes() const = 0;

  // Writes the rows of positions first, first + 1, … to `rows`, which holds a
  // whole number of them. Rows outside range() are zeros. NOT_FOUND if what the
  // encoding reads is gone.
  virtual absl::Status BuildRows(std::int64_t first,
                                 std::span<double> rows) const = 0;

  // As BuildRows, and as good, for rows of a table so large that the caches
  // will not hold them until they are read: they may be written past those.
  virtual absl::Status StreamRows(std::int64_t first,
                                  std::span<double> rows) const {
    return BuildRows(first, rows);
  }

  // Writes the row of a position that is not an integer. INVALID_ARGUMENT if
  // the encoding has none.
  virtual absl::Status BuildRow(double position,
                                std::span<double> row) const = 0;

  // Writes the row of a place that takes several numbers to say, which are the
  // encoding's own. INVALID_ARGUMENT if the encoding has no such places.
  virtual absl::Status BuildRowAt(std::span<const double> coordinates,
                                  std::span<double> row) const;

  // Largest |value - true value| of an element of a row once rounded to
  // `dtype`, at positions within ±kMaxExactPosition; none where the values
  // are what they are.
  virtual std::optional<double> MaxError(DType) const { return std::nullopt; }

  // Frequencies in radians a position, rounded to double; none for encodings
  // without.
  virtual std::vector<double> Frequencies() const { return {}; }

  // What sines and cosines are multiplied by; none for encodings that do not
  // rotate.
  virtual std::optional<double> AttentionFactor() const { return std::nullopt; }
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_ENCODING_H_
