#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/core/encodings/registry.h"
#include "server/core/parity_difference.h"
#include "server/core/payload.h"
#include "server/service/local_engine.h"

namespace posenc::server {
namespace {

// Checks that the range stays within ±kMaxPosition.
absl::Status CheckPositionRange(std::int64_t first, std::uint64_t count) {
  if (count < 1 || count > kMaxGetEncodingRows) {
    return Invalid("POSITION_COUNT",
                   absl::StrCat("position_count is ", count,
                                ", but must be 1 to ", kMaxGetEncodingRows));
  }
  const std::int64_t most = kMaxPosition - static_cast<std::int64_t>(count);
  if (first < -kMaxPosition || first > most) {
    return Invalid(
        "POSITION_OUT_OF_BOUNDS",
        absl::StrCat("first_position is ", first, ", but with ", count,
                     " positions it must be ", -kMaxPosition, " to ", most));
  }
  return absl::OkStatus();
}

// The positions that the request lists; none if it gives a range, which is
// checked.
absl::StatusOr<std::vector<double>> ListedPositions(
    const GetEncodingRequest& request) {
  if (!request.positions) {
    const absl::Status status =
        CheckPositionRange(request.first_position, request.position_count);
    if (!status.ok()) return status;
    return std::vector<double>();
  }
  if (request.first_position != 0 || request.position_count != 0) {
    return Invalid("CONTRADICTORY_FIELDS",
                   "positions stand beside first_position or position_count; "
                   "one of them says which rows");
  }
  const auto elements = CheckPayload(*request.positions, "positions");
  if (!elements.ok()) return elements.status();
  if (request.positions->shape.size() != 1) {
    return Invalid(
        "POSITIONS_SHAPE",
        absl::StrCat("positions are ", ToString(request.positions->shape),
                     ", but must have one dimension"));
  }
  return ReadPositions(*request.positions, "positions");
}

}  // namespace

// Sends the encoding alone: what is added to zeros.
absl::Status LocalEngine::SendRows(const Prepared& prepared,
                                   const PositionList& positions, DType dtype,
                                   const RowsSink& sink) {
  absl::Status status =
      CheckRange(positions, prepared.spec, prepared.encoding());
  if (!status.ok()) return status;
  const std::uint64_t width = prepared.encoding().width();
  const std::vector<std::byte> zeros(positions.values.size() * width *
                                     SizeOf(DType::kFloat16));
  const Segment input(zeros);
  const auto bytes = OutputBytes({positions.values.size(), width}, dtype);
  if (!bytes.ok()) return bytes.status();
  auto output = device_.AllocateResponse(*bytes);
  if (!output.ok()) return output.status();
  status = AddEncoding(Cached(prepared.entry), positions,
                       {.rows = positions.values.size(),
                        .width = width,
                        .output_dtype = dtype,
                        .input_dtype = DType::kFloat16,
                        .input = Segments(&input, 1)},
                       output->bytes());
  if (!status.ok()) return status;
  if (!sink({dtype, positions.values.size(), width, output->bytes()})) {
    return absl::CancelledError("the caller went away");
  }
  return absl::OkStatus();
}

absl::Status LocalEngine::GetEncoding(
    const GetEncodingRequest& request,
    const std::function<void(const EncodingSpec&)>& start,
    const RowsSink& sink) {
  absl::Status status = CheckFloat(request.dtype, "dtype");
  if (!status.ok()) return status;
  const auto listed = ListedPositions(request);
  if (!listed.ok()) return listed.status();
  const auto prepared = Prepare(request.encoding, std::nullopt);
  if (!prepared.ok()) return prepared.status();
  start(prepared->spec);
  const std::uint64_t count =
      listed->empty() ? request.position_count : listed->size();
  const std::uint64_t step =
      RowsOfPiece(prepared->encoding().width() * SizeOf(request.dtype));
  for (std::uint64_t at = 0; at < count && status.ok(); at += step) {
    PositionList piece;
    piece.values.resize(std::min(step, count - at));
    for (std::uint64_t i = 0; i < piece.values.size(); ++i) {
      piece.values[i] =
          listed->empty()
              ? static_cast<double>(request.first_position +
                                    static_cast<std::int64_t>(at + i))
              : (*listed)[at + i];
    }
    status = SendRows(*prepared, piece, request.dtype, sink);
  }
  return status;
}

absl::StatusOr<LocalEngine::Parity> LocalEngine::Float32Difference(
    const EncodingSpec& spec, const Encoding& exact, std::uint64_t positions) {
  if (!HasField(spec.kind, "angle_precision") ||
      spec.angle_precision != AnglePrecision::kExact) {
    return Parity();
  }
  EncodingSpec rounded = spec;
  rounded.angle_precision = spec.kind == EncodingKind::kRotary
                                ? AnglePrecision::kFloat32Pow
                                : AnglePrecision::kFloat32Exp;
  const auto recipe = FindRecipe(rounded, tables_);
  if (!recipe.ok()) return recipe.status();
  const auto parity = recipe->make();
  const auto last = static_cast<std::uint64_t>(
      std::max<std::int64_t>(-1, parity->range().last));
  positions =
      std::min({positions, kMaxParityElements / exact.width(), last + 1});
  const auto difference = LargestDifference(exact, *parity, positions);
  if (!difference.ok()) return difference.status();
  return Parity{*difference, positions};
}

absl::StatusOr<Description> LocalEngine::DescribeEncoding(
    const DescribeRequest& request) {
  const absl::Status status = CheckFloat(request.dtype, "dtype");
  if (!status.ok()) return status;
  std::uint64_t positions =
      request.collision_search_positions.value_or(kDefaultCollisionSearch);
  if (positions > kMaxCollisionSearch) {
    return Invalid("COLLISION_SEARCH",
                   absl::StrCat("collision_search_positions is ", positions,
                                ", but at most ", kMaxCollisionSearch));
  }
  const auto prepared = Prepare(request.encoding, std::nullopt);
  if (!prepared.ok()) return prepared.status();
  const Encoding& encoding = prepared->encoding();
  positions = std::min(positions, kMaxCollisionElements / encoding.width());
  const PositionRange range = encoding.range();
  positions = std::min(
      positions,
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, range.last + 1)));
  const auto collision = FindCollision(encoding, request.dtype, positions);
  if (!collision.ok()) return collision.status();
  const auto parity = Float32Difference(prepared->spec, encoding, positions);
  if (!parity.ok()) return parity.status();
  return Description{.encoding = prepared->spec,
                     .op = encoding.op(),
                     .frequencies = encoding.Frequencies(),
                     .max_error = encoding.MaxError(request.dtype),
                     .dtype = request.dtype,
                     .positions_searched = positions,
                     .collision = *collision,
                     .float32_difference = parity->difference,
                     .float32_positions = parity->positions,
                     .range = range,
                     .attention_factor = encoding.AttentionFactor()};
}

absl::Status LocalEngine::GetTable(
    const TableRowsRequest& request,
    const std::function<void(const EmbeddingTable&)>& start,
    const RowsSink& sink) {
  if (request.name.empty()) {
    return Invalid("NAME_MISSING", "the name of the table is not given");
  }
  const auto table = tables_.Find(request.name);
  if (!table.ok()) return table.status();
  const HostTable& host = (*table)->host;
  if (request.first_row >= host.rows) {
    return Error(absl::StatusCode::kOutOfRange, "ROW_OUTSIDE_TABLE",
                 absl::StrCat("first_row is ", request.first_row,
                              ", but embedding table '", request.name,
                              "' has rows 0 to ", host.rows - 1));
  }
  const std::uint64_t rest = host.rows - request.first_row;
  const std::uint64_t count = request.row_count.value_or(rest);
  if (count > rest) {
    return Error(absl::StatusCode::kOutOfRange, "ROW_OUTSIDE_TABLE",
                 absl::StrCat("row_count is ", count, ", but from row ",
                              request.first_row, " embedding table '",
                              request.name, "' has ", rest, " rows"));
  }
  start(**table);
  const std::uint64_t row_bytes = host.width * SizeOf(host.dtype);
  const std::uint64_t step = RowsOfPiece(row_bytes);
  for (std::uint64_t at = 0; at < count; at += step) {
    const std::uint64_t rows = std::min(step, count - at);
    const std::byte* data = host.data + (request.first_row + at) * row_bytes;
    // A copy, so that what is sent is what was checked.
    const std::vector<std::byte> copy(data, data + rows * row_bytes);
    const absl::Status unchanged = (*table)->CheckUnchanged();
    if (!unchanged.ok()) return unchanged;
    if (!sink({host.dtype, rows, host.width, copy})) {
      return absl::CancelledError("the caller went away");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<WarmResponse> LocalEngine::WarmCache(
    const WarmRequest& request) {
  const absl::Status status =
      CheckPositionRange(request.first_position, request.position_count);
  if (!status.ok()) return status;
  const auto prepared = Prepare(request.encoding, std::nullopt);
  if (!prepared.ok()) return prepared.status();
  const std::int64_t first = ChunkOf(request.first_position);
  const std::int64_t last =
      ChunkOf(request.first_position +
              static_cast<std::int64_t>(request.position_count) - 1);
  const auto chunks = static_cast<std::uint64_t>(last - first + 1);
  const std::uint64_t chunk_bytes = static_cast<std::uint64_t>(kChunkRows) *
                                    prepared->encoding().width() *
                                    sizeof(double);
  if (chunks > cache_.capacity_bytes() / chunk_bytes) {
    return Error(absl::StatusCode::kResourceExhausted, "CACHE_BUDGET",
                 absl::StrCat(chunks, " chunks of ", chunk_bytes,
                              " bytes do not fit the ", cache_.capacity_bytes(),
                              " bytes that the cache holds (--cache-bytes)"));
  }
  std::vector<std::int64_t> indices(chunks);
  for (std::uint64_t i = 0; i < chunks; ++i) {
    indices[i] = first + static_cast<std::int64_t>(i);
  }
  std::uint64_t built = 0;
  const auto held = cache_.Acquire(prepared->entry, indices,
                                   TableCache::Miss::kBuild, &built);
  if (!held.ok()) return held.status();
  return WarmResponse{prepared->spec, built, chunks - built};
}

absl::StatusOr<TableCache::Evicted> LocalEngine::EvictCache(
    const std::optional<SpecFields>& encoding) {
  if (!encoding) return cache_.Evict(std::nullopt);
  const auto spec = ResolveSpec(*encoding, std::nullopt);
  if (!spec.ok()) return spec.status();
  const auto recipe = FindRecipe(*spec, tables_);
  if (!recipe.ok()) return recipe.status();
  return cache_.Evict(recipe->key);
}

}  // namespace posenc::server
