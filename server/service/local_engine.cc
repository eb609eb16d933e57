#include "server/service/local_engine.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "server/base/checked_math.h"
#include "server/base/error.h"
#include "server/core/encodings/registry.h"
#include "server/service/encode_input.h"

namespace posenc::server {
namespace {

absl::Status CheckDropout(const std::optional<Dropout>& dropout) {
  // Written so that NaN fails it.
  if (!dropout || (dropout->rate >= 0 && dropout->rate < 1)) {
    return absl::OkStatus();
  }
  return Invalid("DROPOUT_RATE",
                 absl::StrCat("dropout.rate is ", dropout->rate,
                              ", but must be 0 or more and below 1"));
}

}  // namespace

absl::Status CheckFloat(DType dtype, absl::string_view what) {
  if (IsFloat(dtype)) return absl::OkStatus();
  return Error(absl::StatusCode::kInvalidArgument, "DTYPE",
               absl::StrCat(what, " is ", Name(dtype),
                            ", but must be FLOAT32, FLOAT16, "
                            "BFLOAT16 or FLOAT64"));
}

absl::StatusOr<LocalEngine::Prepared> LocalEngine::Prepare(
    const SpecFields& fields, const std::optional<InputWidth>& input) {
  auto spec = ResolveSpec(fields, input);
  if (!spec.ok()) return spec.status();
  auto entry = FindEntry(*spec);
  if (!entry.ok()) return entry.status();
  return Prepared{*std::move(spec), *std::move(entry)};
}

absl::StatusOr<std::shared_ptr<TableCache::Entry>> LocalEngine::FindEntry(
    const EncodingSpec& spec) {
  const auto recipe = FindRecipe(spec, tables_);
  if (!recipe.ok()) return recipe.status();
  return cache_.Find(*recipe, spec);
}

absl::StatusOr<std::uint64_t> LocalEngine::OutputBytes(const Shape& shape,
                                                       DType dtype) const {
  const auto elements = CheckedProduct(shape);
  const std::uint64_t bytes =
      elements ? CheckedMultiply(*elements, SizeOf(dtype))
                     .value_or(std::numeric_limits<std::uint64_t>::max())
               : std::numeric_limits<std::uint64_t>::max();
  if (bytes > MostPayloadBytes()) {
    return Error(absl::StatusCode::kResourceExhausted, "RESPONSE_TOO_LARGE",
                 absl::StrCat("the output is ", ToString(shape), " of ",
                              Name(dtype), ", which is ", bytes,
                              " bytes, but a response holds at most ",
                              MostPayloadBytes(),
                              " (--max-message-bytes of the server)"));
  }
  return bytes;
}

absl::StatusOr<EncodePlan> LocalEngine::Plan(const EncodeRequest& request) {
  auto input = CheckInput(request, tables_);
  if (!input.ok()) return input.status();
  const DType dtype = request.output_dtype.value_or(input->dtype);
  absl::Status status = CheckFloat(dtype, "output_dtype");
  if (status.ok()) status = CheckDropout(request.dropout);
  if (!status.ok()) return status;
  auto prepared = Prepare(request.encoding, input->width);
  if (!prepared.ok()) return prepared.status();
  status = CheckEncodable(prepared->spec, prepared->encoding());
  if (!status.ok()) return status;
  auto positions = ResolvePositions(request.positions, input->batch,
                                    prepared->spec, input->ids);
  if (!positions.ok()) return positions.status();
  status = CheckRange(*positions, prepared->spec, prepared->encoding());
  if (!status.ok()) return status;
  const auto bytes = OutputBytes(input->output_shape, dtype);
  if (!bytes.ok()) return bytes.status();
  return EncodePlan{
      .encoding = prepared->spec,
      .layout = request.layout,
      .embedding_scale = prepared->spec.ScaleOf(request.token_ids.has_value()),
      .dtype = dtype,
      .shape = std::move(input->output_shape),
      .output_bytes = *bytes,
      .table = std::move(input->table),
      .ids = std::move(input->ids),
      .rows = input->batch.rows(),
      .input_dtype = input->dtype,
      .positions = *std::move(positions),
      .dropout = request.dropout,
      .cache_entry = prepared->entry};
}

absl::StatusOr<ResponseBuffer> LocalEngine::Run(const EncodePlan& plan,
                                                Segments embeddings,
                                                Overwrite overwrite) {
  RowsOp op{.rows = plan.rows,
            .width = plan.encoding.d_model,
            .scale = plan.embedding_scale,
            .output_dtype = plan.dtype,
            .input_dtype = plan.input_dtype};
  if (plan.table != nullptr) {
    op.gather = plan.table->on_device.get();
    op.ids = plan.ids;
  } else {
    op.input = embeddings;
  }
  ResponseBuffer output;
  if (overwrite == Overwrite::kNever || plan.dropout || op.gather != nullptr ||
      SizeOf(op.input_dtype) != SizeOf(op.output_dtype)) {
    auto allocated = device_.AllocateResponse(plan.output_bytes);
    if (!allocated.ok()) return allocated.status();
    output = *std::move(allocated);
  }
  auto entry = cache_.Hold(plan.cache_entry);
  if (entry == nullptr) {
    auto found = FindEntry(plan.encoding);
    if (!found.ok()) return found.status();
    entry = *std::move(found);
  }
  absl::Status status = ApplyEncoding(Cached(entry), plan.encoding,
                                      plan.positions, op, output.bytes());
  // A table whose file was cut short reads as zeros.
  if (status.ok() && plan.table != nullptr) {
    status = plan.table->CheckUnchanged();
  }
  if (status.ok() && plan.dropout) {
    status = device_.DropOut(*plan.dropout, plan.dtype, output.bytes());
  }
  if (!status.ok()) return status;
  return output;
}

std::unique_ptr<Engine> MakeEngine(Device& device, const EmbeddingStore& tables,
                                   TableCache& cache,
                                   const EngineLimits& limits) {
  return std::make_unique<LocalEngine>(device, tables, cache, limits);
}

}  // namespace posenc::server
