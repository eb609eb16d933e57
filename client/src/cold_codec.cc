#include "client/src/cold_codec.h"

#include "client/src/spec_codec.h"
#include "client/src/tensor_codec.h"

namespace posenc {

v1::GetEncodingRequest ToProto(const GetEncodingParams& params) {
  v1::GetEncodingRequest request;
  *request.mutable_encoding() = ToProto(params.encoding);
  request.set_first_position(params.first_position);
  request.set_position_count(params.position_count);
  request.set_dtype(ToProto(params.dtype));
  if (params.positions) {
    *request.mutable_positions() = ToProto(*params.positions);
  }
  return request;
}

v1::DescribeEncodingRequest ToProto(const DescribeEncodingParams& params) {
  v1::DescribeEncodingRequest request;
  *request.mutable_encoding() = ToProto(params.encoding);
  request.set_dtype(ToProto(params.dtype));
  if (params.collision_search_positions) {
    request.set_collision_search_positions(*params.collision_search_positions);
  }
  return request;
}

v1::GetEmbeddingTableRequest ToProto(const GetTableParams& params) {
  v1::GetEmbeddingTableRequest request;
  request.set_name(params.name);
  request.set_first_row(params.first_row);
  if (params.row_count) request.set_row_count(*params.row_count);
  return request;
}

v1::WarmEncodingCacheRequest ToProto(const WarmCacheParams& params) {
  v1::WarmEncodingCacheRequest request;
  *request.mutable_encoding() = ToProto(params.encoding);
  request.set_first_position(params.first_position);
  request.set_position_count(params.position_count);
  return request;
}

v1::EvictEncodingCacheRequest ToProto(const EvictCacheParams& params) {
  v1::EvictEncodingCacheRequest request;
  if (params.encoding) *request.mutable_encoding() = ToProto(*params.encoding);
  return request;
}

EncodingDescription FromProto(const v1::DescribeEncodingResponse& proto) {
  EncodingDescription description;
  description.encoding = FromProto(proto.encoding());
  description.operation = proto.operation();
  description.frequencies.assign(proto.frequencies().begin(),
                                 proto.frequencies().end());
  description.wavelengths.assign(proto.wavelengths().begin(),
                                 proto.wavelengths().end());
  description.max_error = proto.max_error();
  description.dtype = FromProto(proto.dtype());
  description.positions_searched = proto.positions_searched();
  if (proto.has_first_collision()) {
    description.first_collision = proto.first_collision();
  }
  if (proto.has_collides_with()) {
    description.collides_with = proto.collides_with();
  }
  description.first_position = proto.first_position();
  description.last_position = proto.last_position();
  if (proto.has_attention_factor()) {
    description.attention_factor = proto.attention_factor();
  }
  if (proto.has_float32_difference()) {
    description.float32_difference = proto.float32_difference();
    description.float32_positions = proto.float32_positions();
  }
  return description;
}

Profile FromProto(const v1::Profile& proto) {
  return {.name = proto.name(),
          .library = proto.library(),
          .symbol = proto.symbol(),
          .checked_version = proto.checked_version(),
          .encoding = FromProto(proto.encoding())};
}

TableInfo FromProto(const v1::EmbeddingTable& proto) {
  return {.name = proto.name(),
          .version = proto.version(),
          .dtype = FromProto(proto.dtype()),
          .rows = proto.rows(),
          .d_model = proto.d_model(),
          .bytes = proto.bytes()};
}

CacheListing FromProto(const v1::ListEncodingCacheResponse& proto) {
  CacheListing listing{.encodings = {},
                       .bytes = proto.bytes(),
                       .capacity_bytes = proto.capacity_bytes(),
                       .hits = proto.hits(),
                       .chunks_built = proto.chunks_built(),
                       .chunks_evicted = proto.chunks_evicted(),
                       .device = proto.device(),
                       .server_version = proto.server_version()};
  for (const v1::CachedEncoding& cached : proto.encodings()) {
    listing.encodings.push_back({.encoding = FromProto(cached.encoding()),
                                 .chunks = cached.chunks(),
                                 .bytes = cached.bytes(),
                                 .chunks_built = cached.chunks_built(),
                                 .hits = cached.hits()});
  }
  return listing;
}

WarmCacheResult FromProto(const v1::WarmEncodingCacheResponse& proto) {
  return {.encoding = FromProto(proto.encoding()),
          .chunks_built = proto.chunks_built(),
          .chunks_found = proto.chunks_found()};
}

EvictCacheResult FromProto(const v1::EvictEncodingCacheResponse& proto) {
  return {.chunks = proto.chunks(), .bytes = proto.bytes()};
}

}  // namespace posenc
