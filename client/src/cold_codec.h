#ifndef POSENC_CLIENT_SRC_COLD_CODEC_H_
#define POSENC_CLIENT_SRC_COLD_CODEC_H_

#include "posenc/requests.h"
#include "posenc/v1/embedding_tables.pb.h"
#include "posenc/v1/encoding_cache.pb.h"
#include "posenc/v1/positional_encoding.pb.h"

// The messages of all methods but Encode and EncodeStream, field for field.
namespace posenc {

v1::GetEncodingRequest ToProto(const GetEncodingParams& params);
v1::DescribeEncodingRequest ToProto(const DescribeEncodingParams& params);
v1::GetEmbeddingTableRequest ToProto(const GetTableParams& params);
v1::WarmEncodingCacheRequest ToProto(const WarmCacheParams& params);
v1::EvictEncodingCacheRequest ToProto(const EvictCacheParams& params);

EncodingDescription FromProto(const v1::DescribeEncodingResponse& proto);
Profile FromProto(const v1::Profile& proto);
TableInfo FromProto(const v1::EmbeddingTable& proto);
CacheListing FromProto(const v1::ListEncodingCacheResponse& proto);
WarmCacheResult FromProto(const v1::WarmEncodingCacheResponse& proto);
EvictCacheResult FromProto(const v1::EvictEncodingCacheResponse& proto);

}  // namespace posenc

#endif  // POSENC_CLIENT_SRC_COLD_CODEC_H_
