#include "server/transport/positional_encoding_service.h"

#include <numbers>

#include "server/transport/rows_writer.h"
#include "server/transport/spec_codec.h"

namespace posenc::server {
namespace {

absl::StatusOr<GetEncodingRequest> ToRequest(
    const v1::GetEncodingRequest& proto, Segment& positions) {
  GetEncodingRequest request;
  auto spec = FromProto(proto.encoding());
  if (!spec.ok()) return spec.status();
  request.encoding = *std::move(spec);
  request.first_position = proto.first_position();
  request.position_count = proto.position_count();
  if (proto.has_dtype()) {
    const auto dtype = FromProto(proto.dtype());
    if (!dtype.ok()) return dtype.status();
    request.dtype = *dtype;
  }
  if (proto.has_positions()) {
    auto view = HeaderFromProto(proto.positions(), "positions");
    if (!view.ok()) return view.status();
    positions = std::as_bytes(std::span(proto.positions().data()));
    view->data = {positions};
    request.positions = *std::move(view);
  }
  return request;
}

absl::StatusOr<DescribeRequest> ToRequest(
    const v1::DescribeEncodingRequest& proto) {
  DescribeRequest request;
  auto spec = FromProto(proto.encoding());
  if (!spec.ok()) return spec.status();
  request.encoding = *std::move(spec);
  if (proto.has_dtype()) {
    const auto dtype = FromProto(proto.dtype());
    if (!dtype.ok()) return dtype.status();
    request.dtype = *dtype;
  }
  if (proto.has_collision_search_positions()) {
    request.collision_search_positions = proto.collision_search_positions();
  }
  return request;
}

void Fill(const Description& description, v1::DescribeEncodingResponse& proto) {
  *proto.mutable_encoding() = ToProto(description.encoding);
  proto.set_operation(std::string(Name(description.op)));
  for (const double frequency : description.frequencies) {
    proto.add_frequencies(frequency);
    proto.add_wavelengths(2 * std::numbers::pi / frequency);
  }
  proto.set_max_error(description.max_error.value_or(0));
  proto.set_dtype(ToProto(description.dtype));
  proto.set_positions_searched(description.positions_searched);
  if (description.collision) {
    proto.set_first_collision(description.collision->position);
    proto.set_collides_with(description.collision->earlier);
  }
  proto.set_first_position(description.range.first);
  proto.set_last_position(description.range.last);
  if (description.attention_factor) {
    proto.set_attention_factor(*description.attention_factor);
  }
  if (description.float32_difference) {
    proto.set_float32_difference(*description.float32_difference);
    proto.set_float32_positions(description.float32_positions);
  }
}

}  // namespace

grpc::Status PositionalEncodingService::GetEncoding(
    grpc::ServerContext* context, const v1::GetEncodingRequest* request,
    grpc::ServerWriter<v1::GetEncodingResponse>* writer) {
  constexpr char kMethod[] = "GetEncoding";
  const DrainGuard guard(calls_.drain());
  if (!guard.status().ok()) {
    return calls_.Finish(kMethod, *context, guard.status());
  }
  Segment positions;
  const auto wanted = ToRequest(*request, positions);
  if (!wanted.ok()) return calls_.Finish(kMethod, *context, wanted.status());
  RowsWriter<v1::GetEncodingResponse> rows(*context, *writer);
  return calls_.Finish(
      kMethod, *context,
      calls_.engine().GetEncoding(
          *wanted,
          [&](const EncodingSpec& spec) {
            *rows.first().mutable_encoding() = ToProto(spec);
          },
          [&](const RowsPiece& piece) { return rows.Write(piece); }));
}

grpc::Status PositionalEncodingService::DescribeEncoding(
    grpc::ServerContext* context, const v1::DescribeEncodingRequest* request,
    v1::DescribeEncodingResponse* response) {
  constexpr char kMethod[] = "DescribeEncoding";
  const DrainGuard guard(calls_.drain());
  if (!guard.status().ok()) {
    return calls_.Finish(kMethod, *context, guard.status());
  }
  const auto wanted = ToRequest(*request);
  if (!wanted.ok()) return calls_.Finish(kMethod, *context, wanted.status());
  const auto description = calls_.engine().DescribeEncoding(*wanted);
  if (description.ok()) Fill(*description, *response);
  return calls_.Finish(kMethod, *context, description.status());
}

grpc::Status PositionalEncodingService::ListProfiles(
    grpc::ServerContext* context, const v1::ListProfilesRequest*,
    v1::ListProfilesResponse* response) {
  constexpr char kMethod[] = "ListProfiles";
  const DrainGuard guard(calls_.drain());
  if (!guard.status().ok()) {
    return calls_.Finish(kMethod, *context, guard.status());
  }
  for (const Profile& profile : Profiles()) {
    v1::Profile& proto = *response->add_profiles();
    proto.set_name(std::string(profile.name));
    proto.set_library(std::string(profile.library));
    proto.set_symbol(std::string(profile.symbol));
    proto.set_checked_version(std::string(profile.checked_version));
    *proto.mutable_encoding() = ToProto(profile.spec);
  }
  return calls_.Finish(kMethod, *context, absl::OkStatus());
}

}  // namespace posenc::server
