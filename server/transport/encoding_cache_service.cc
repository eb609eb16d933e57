#include "server/transport/encoding_cache_service.h"

#include <optional>

#include "server/transport/spec_codec.h"

namespace posenc::server {

grpc::Status EncodingCacheService::List(
    grpc::ServerContext* context, const v1::ListEncodingCacheRequest*,
    v1::ListEncodingCacheResponse* response) {
  const DrainGuard guard(calls_.drain());
  if (!guard.status().ok()) {
    return calls_.Finish("ListCache", *context, guard.status());
  }
  const CacheListing listing = calls_.engine().ListCache();
  for (const TableCache::EntryStats& entry : listing.stats.entries) {
    v1::CachedEncoding& encoding = *response->add_encodings();
    *encoding.mutable_encoding() = ToProto(entry.spec);
    encoding.set_chunks(entry.chunks);
    encoding.set_bytes(entry.bytes);
    encoding.set_chunks_built(entry.chunks_built);
    encoding.set_hits(entry.hits);
  }
  response->set_bytes(listing.stats.bytes);
  response->set_capacity_bytes(listing.stats.capacity_bytes);
  response->set_hits(listing.stats.hits);
  response->set_chunks_built(listing.stats.chunks_built);
  response->set_chunks_evicted(listing.stats.chunks_evicted);
  response->set_device(listing.device);
  response->set_server_version(POSENC_VERSION);
  return grpc::Status::OK;
}

grpc::Status EncodingCacheService::Warm(
    grpc::ServerContext* context, const v1::WarmEncodingCacheRequest* request,
    v1::WarmEncodingCacheResponse* response) {
  const DrainGuard guard(calls_.drain());
  if (!guard.status().ok()) {
    return calls_.Finish("WarmCache", *context, guard.status());
  }
  auto spec = FromProto(request->encoding());
  if (!spec.ok()) return calls_.Finish("WarmCache", *context, spec.status());
  const auto warmed =
      calls_.engine().WarmCache({.encoding = *std::move(spec),
                                 .first_position = request->first_position(),
                                 .position_count = request->position_count()});
  if (warmed.ok()) {
    *response->mutable_encoding() = ToProto(warmed->encoding);
    response->set_chunks_built(warmed->chunks_built);
    response->set_chunks_found(warmed->chunks_found);
  }
  return calls_.Finish("WarmCache", *context, warmed.status());
}

grpc::Status EncodingCacheService::Evict(
    grpc::ServerContext* context, const v1::EvictEncodingCacheRequest* request,
    v1::EvictEncodingCacheResponse* response) {
  const DrainGuard guard(calls_.drain());
  if (!guard.status().ok()) {
    return calls_.Finish("EvictCache", *context, guard.status());
  }
  std::optional<SpecFields> fields;
  if (request->has_encoding()) {
    auto spec = FromProto(request->encoding());
    if (!spec.ok()) return calls_.Finish("EvictCache", *context, spec.status());
    fields = *std::move(spec);
  }
  const auto evicted = calls_.engine().EvictCache(fields);
  if (evicted.ok()) {
    response->set_chunks(evicted->chunks);
    response->set_bytes(evicted->bytes);
  }
  return calls_.Finish("EvictCache", *context, evicted.status());
}

}  // namespace posenc::server
