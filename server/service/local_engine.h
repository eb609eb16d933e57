#ifndef POSENC_SERVER_SERVICE_LOCAL_ENGINE_H_
#define POSENC_SERVER_SERVICE_LOCAL_ENGINE_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/base/limits.h"
#include "server/service/apply_encoding.h"
#include "server/service/engine.h"

namespace posenc::server {

// The engine on a device of this process. Encodes are in local_engine.cc, the
// calls that look at encodings, tables and the cache in
// local_engine_queries.cc.
class LocalEngine final : public Engine {
 public:
  LocalEngine(Device& device, const EmbeddingStore& tables, TableCache& cache,
              const EngineLimits& limits)
      : device_(device), tables_(tables), cache_(cache), limits_(limits) {}

  absl::StatusOr<EncodePlan> Plan(const EncodeRequest& request) override;
  absl::StatusOr<ResponseBuffer> Run(const EncodePlan& plan,
                                     Segments embeddings,
                                     Overwrite overwrite) override;
  absl::Status GetEncoding(
      const GetEncodingRequest& request,
      const std::function<void(const EncodingSpec&)>& start,
      const RowsSink& sink) override;
  absl::StatusOr<Description> DescribeEncoding(
      const DescribeRequest& request) override;
  std::vector<TablePointer> ListTables() override { return tables_.List(); }
  absl::Status GetTable(const TableRowsRequest& request,
                        const std::function<void(const EmbeddingTable&)>& start,
                        const RowsSink& sink) override;
  CacheListing ListCache() override {
    return {cache_.GetStats(), device_.description()};
  }
  absl::StatusOr<WarmResponse> WarmCache(const WarmRequest& request) override;
  absl::StatusOr<TableCache::Evicted> EvictCache(
      const std::optional<SpecFields>& encoding) override;

 private:
  struct Prepared {
    EncodingSpec spec;
    std::shared_ptr<TableCache::Entry> entry;
    const Encoding& encoding() const { return TableCache::EncodingOf(*entry); }
  };

  // How far the float32 mode is off, and over how many positions from 0; none
  // for encodings without such a mode.
  struct Parity {
    std::optional<double> difference;
    std::uint64_t positions = 0;
  };

  absl::StatusOr<Parity> Float32Difference(const EncodingSpec& spec,
                                           const Encoding& exact,
                                           std::uint64_t positions);
  absl::StatusOr<Prepared> Prepare(const SpecFields& fields,
                                   const std::optional<InputWidth>& input);
  absl::StatusOr<std::shared_ptr<TableCache::Entry>> FindEntry(
      const EncodingSpec& spec);
  std::uint64_t MostPayloadBytes() const {
    return limits_.max_message_bytes - kMaxHeaderBytes;
  }
  // Rows of that size that fit a piece of a stream; at least one.
  std::uint64_t RowsOfPiece(std::uint64_t row_bytes) const {
    const std::uint64_t bytes =
        std::min<std::uint64_t>(kStreamPieceBytes, MostPayloadBytes());
    return std::max<std::uint64_t>(1, bytes / row_bytes);
  }
  CachedEncoding Cached(const std::shared_ptr<TableCache::Entry>& entry) {
    return {cache_, device_, entry};
  }
  // RESOURCE_EXHAUSTED, with both numbers, if no response holds that much.
  absl::StatusOr<std::uint64_t> OutputBytes(const Shape& shape,
                                            DType dtype) const;
  absl::Status SendRows(const Prepared& prepared, const PositionList& positions,
                        DType dtype, const RowsSink& sink);

  Device& device_;
  const EmbeddingStore& tables_;
  TableCache& cache_;
  const EngineLimits limits_;
};

// INVALID_ARGUMENT unless the type, called `what`, is a floating-point one.
absl::Status CheckFloat(DType dtype, absl::string_view what);

}  // namespace posenc::server

#endif  // POSENC_SERVER_SERVICE_LOCAL_ENGINE_H_
