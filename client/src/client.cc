#include "posenc/client.h"

#include <utility>

#include "client/src/grpc_connection.h"

namespace posenc {
namespace {

EncodeParams ToParams(EncodeParams::Input input, const Payload& payload,
                      const EncodeOptions& options, const CallOptions& call) {
  return {.input = input,
          .payload = payload,
          .options = options,
          .output = std::nullopt,
          .segmented = false,
          .call = call};
}

}  // namespace

absl::StatusOr<Client> Client::Connect(const ClientOptions& options) {
  absl::StatusOr<std::shared_ptr<Connection>> connection = ConnectGrpc(options);
  if (!connection.ok()) return connection.status();
  return Client(*std::move(connection));
}

Client::Client(std::shared_ptr<Connection> connection)
    : connection_(std::move(connection)) {}

absl::StatusOr<EncodeResult> Client::Encode(const Payload& embeddings,
                                            const EncodeOptions& options,
                                            const CallOptions& call) {
  return connection_->Encode(
      ToParams(EncodeParams::Input::kEmbeddings, embeddings, options, call));
}

absl::StatusOr<EncodeResult> Client::EncodeInto(std::span<std::byte> output,
                                                const Payload& embeddings,
                                                const EncodeOptions& options,
                                                const CallOptions& call) {
  EncodeParams params =
      ToParams(EncodeParams::Input::kEmbeddings, embeddings, options, call);
  params.output = output;
  return connection_->Encode(params);
}

absl::StatusOr<EncodeResult> Client::EncodeSegmented(
    const Payload& embeddings, const EncodeOptions& options,
    const CallOptions& call) {
  EncodeParams params =
      ToParams(EncodeParams::Input::kEmbeddings, embeddings, options, call);
  params.segmented = true;
  return connection_->Encode(params);
}

absl::StatusOr<EncodeResult> Client::EncodeTokens(const Payload& token_ids,
                                                  const EncodeOptions& options,
                                                  const CallOptions& call) {
  return connection_->Encode(
      ToParams(EncodeParams::Input::kTokenIds, token_ids, options, call));
}

absl::StatusOr<std::unique_ptr<EncodeStream>> Client::OpenEncodeStream(
    const CallOptions& call) {
  return connection_->OpenEncodeStream({.call = call});
}

absl::StatusOr<GetEncodingResult> Client::GetEncoding(
    const GetEncodingParams& params) {
  return connection_->GetEncoding(params);
}

absl::StatusOr<EncodingDescription> Client::DescribeEncoding(
    const DescribeEncodingParams& params) {
  return connection_->DescribeEncoding(params);
}

absl::StatusOr<std::vector<Profile>> Client::ListProfiles(
    const ListProfilesParams& params) {
  return connection_->ListProfiles(params);
}

absl::StatusOr<std::vector<TableInfo>> Client::ListTables(
    const ListTablesParams& params) {
  return connection_->ListTables(params);
}

absl::StatusOr<GetTableResult> Client::GetTable(const GetTableParams& params) {
  return connection_->GetTable(params);
}

absl::StatusOr<CacheListing> Client::ListCache(const ListCacheParams& params) {
  return connection_->ListCache(params);
}

absl::StatusOr<WarmCacheResult> Client::WarmCache(
    const WarmCacheParams& params) {
  return connection_->WarmCache(params);
}

absl::StatusOr<EvictCacheResult> Client::EvictCache(
    const EvictCacheParams& params) {
  return connection_->EvictCache(params);
}

absl::StatusOr<Health> Client::CheckHealth(const CheckHealthParams& params) {
  return connection_->CheckHealth(params);
}

}  // namespace posenc
