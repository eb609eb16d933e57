#ifndef POSENC_SERVER_TRANSPORT_ENCODING_CACHE_SERVICE_H_
#define POSENC_SERVER_TRANSPORT_ENCODING_CACHE_SERVICE_H_

#include "posenc/v1/encoding_cache.grpc.pb.h"
#include "server/transport/call_context.h"

namespace posenc::server {

class EncodingCacheService final : public v1::EncodingCache::Service {
 public:
  explicit EncodingCacheService(CallContext& calls) : calls_(calls) {}

  grpc::Status List(grpc::ServerContext* context,
                    const v1::ListEncodingCacheRequest* request,
                    v1::ListEncodingCacheResponse* response) override;
  grpc::Status Warm(grpc::ServerContext* context,
                    const v1::WarmEncodingCacheRequest* request,
                    v1::WarmEncodingCacheResponse* response) override;
  grpc::Status Evict(grpc::ServerContext* context,
                     const v1::EvictEncodingCacheRequest* request,
                     v1::EvictEncodingCacheResponse* response) override;

 private:
  CallContext& calls_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_ENCODING_CACHE_SERVICE_H_
