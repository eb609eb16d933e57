#include "server/service/apply_encoding.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/base/segments.h"
#include "server/core/encoding_rows.h"

namespace posenc::server {
namespace {

// Rows of that width whose chunks, even in the worst case of kDenseRows wanted
// of each, take an eighth of the cache, so that long and scattered requests
// leave room for others.
std::uint64_t RowsAtOnce(const TableCache& cache, std::uint64_t width) {
  constexpr std::uint64_t kWorstBytesOfElement =
      sizeof(double) * kChunkRows / kDenseRows;
  return std::max<std::uint64_t>(
      kDenseRows, cache.capacity_bytes() / (8 * kWorstBytesOfElement * width));
}

// Runs an op, encodings and all, into an output or in place.
using RunOp =
    absl::FunctionRef<absl::Status(const RowsOp&, std::span<std::byte>)>;

absl::Status RunInPieces(const CachedEncoding& cached,
                         const PositionList& positions, const RowsOp& op,
                         std::span<std::byte> output, RunOp run) {
  const auto run_piece = [&](const PositionList& list, RowsOp piece,
                             std::span<std::byte> to) -> absl::Status {
    const auto rows =
        EncodingRows::Get(cached.cache, cached.entry, cached.device, list);
    if (!rows.ok()) return rows.status();
    piece.encoding = rows->map();
    return run(piece, to);
  };
  const std::uint64_t at_once =
      RowsAtOnce(cached.cache, cached.encoding().width());
  if (positions.count() <= at_once) {
    return run_piece(positions, op, output);
  }
  // Rows that share a position stay together.
  const std::uint64_t step = at_once * positions.run;
  const std::size_t row_in = op.width * SizeOf(op.input_dtype);
  const std::size_t row_out = op.width * SizeOf(op.output_dtype);
  for (std::uint64_t first = 0; first < op.rows; first += step) {
    RowsOp piece = op;
    piece.rows = std::min(step, op.rows - first);
    std::vector<Segment> input;
    if (op.gather != nullptr) {
      piece.ids = op.ids.subspan(first, piece.rows);
    } else {
      input = Slice(op.input, first * row_in, piece.rows * row_in);
      piece.input = input;
    }
    const absl::Status status = run_piece(
        Rows(positions, first, piece.rows), piece,
        output.empty() ? output
                       : output.subspan(first * row_out, piece.rows * row_out));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status RotateBy(const CachedEncoding& cached, RotaryPairing pairing,
                      const PositionList& positions, const RowsOp& op,
                      std::span<std::byte> output) {
  return RunInPieces(cached, positions, op, output,
                     [&](const RowsOp& piece, std::span<std::byte> to) {
                       const RotateOp rotate{piece,
                                             cached.encoding().width() / 2,
                                             pairing == RotaryPairing::kAdjacent
                                                 ? Pairing::kAdjacent
                                                 : Pairing::kHalves};
                       return to.empty() ? cached.device.RotateInPlace(rotate)
                                         : cached.device.Rotate(rotate, to);
                     });
}

}  // namespace

absl::Status CheckEncodable(const EncodingSpec& spec,
                            const Encoding& encoding) {
  if (encoding.op() != Op::kNone) return absl::OkStatus();
  return Invalid("NOT_ENCODABLE",
                 absl::StrCat(Name(spec.kind),
                              " encodings are not added to embeddings; "
                              "GetEncoding serves their rows"));
}

absl::Status ApplyEncoding(const CachedEncoding& cached,
                           const EncodingSpec& spec,
                           const PositionList& positions, const RowsOp& op,
                           std::span<std::byte> output) {
  switch (cached.encoding().op()) {
    case Op::kAdd:
      return AddEncoding(cached, positions, op, output);
    case Op::kRotate:
      return RotateBy(cached, spec.rotary_pairing, positions, op, output);
    case Op::kNone:
      break;
  }
  return CheckEncodable(spec, cached.encoding());
}

absl::Status AddEncoding(const CachedEncoding& cached,
                         const PositionList& positions, const RowsOp& op,
                         std::span<std::byte> output) {
  return RunInPieces(cached, positions, op, output,
                     [&](const RowsOp& piece, std::span<std::byte> to) {
                       const AddOp add{piece};
                       return to.empty() ? cached.device.AddInPlace(add)
                                         : cached.device.Add(add, to);
                     });
}

}  // namespace posenc::server
