#include "client/src/grpc_connection.h"

#include <grpcpp/channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/src/byte_budget.h"
#include "client/src/call.h"
#include "client/src/channel.h"
#include "client/src/channel_pool.h"
#include "client/src/cold_codec.h"
#include "client/src/encode_codec.h"
#include "client/src/encode_stream.h"
#include "client/src/health.h"
#include "client/src/message_size.h"
#include "client/src/rows_assembly.h"
#include "client/src/spec_codec.h"
#include "client/src/tensor_codec.h"
#include "posenc/v1/embedding_tables.grpc.pb.h"
#include "posenc/v1/encoding_cache.grpc.pb.h"
#include "posenc/v1/positional_encoding.grpc.pb.h"

namespace posenc {
namespace {

constexpr char kEncodeMethod[] = "/posenc.v1.PositionalEncoding/Encode";

// The generated stubs' PrepareAsync methods.
template <typename Stub, typename Request, typename Response>
using PrepareUnary =
    std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (Stub::*)(
        grpc::ClientContext*, const Request&, grpc::CompletionQueue*);
template <typename Stub, typename Request, typename Response>
using PrepareServerStream = std::unique_ptr<grpc::ClientAsyncReader<Response>> (
    Stub::*)(grpc::ClientContext*, const Request&, grpc::CompletionQueue*);

// The rows that a GetEncoding asks for.
std::uint64_t RowCount(const GetEncodingParams& params) {
  if (!params.positions) return params.position_count;
  return params.positions->shape.empty() ? 0 : params.positions->shape[0];
}

absl::Status NothingSentError() {
  return absl::InternalError("the server ended the stream without a message");
}

class GrpcConnection final : public Connection {
 public:
  GrpcConnection(std::shared_ptr<grpc::Channel> channel,
                 const ClientOptions& options)
      : timeout_(options.timeout),
        max_message_bytes_(options.max_message_bytes),
        budget_(std::make_shared<ByteBudget>(options.max_bytes_in_flight)),
        pool_(
            std::move(channel), [options] { return MakeChannel(options); },
            options.max_connections),
        encoding_(v1::PositionalEncoding::NewStub(pool_.first())),
        tables_(v1::EmbeddingTables::NewStub(pool_.first())),
        cache_(v1::EncodingCache::NewStub(pool_.first())) {}

  absl::StatusOr<EncodeResult> Encode(const EncodeParams& params) override {
    absl::StatusOr<EncodeResult> result = EncodeSegments(params);
    if (!result.ok() || (params.segmented && !params.output)) return result;
    return Delivered(*std::move(result), params.output);
  }

  absl::StatusOr<std::unique_ptr<EncodeStream>> OpenEncodeStream(
      const EncodeStreamParams& params) override {
    return StartEncodeStream(pool_.Take(0), budget_, params.call,
                             DeadlineOf(params.call), max_message_bytes_);
  }

  absl::StatusOr<GetEncodingResult> GetEncoding(
      const GetEncodingParams& params) override {
    GetEncodingResult result;
    std::optional<RowsAssembly> rows;
    const auto take = [&](const v1::GetEncodingResponse& piece) {
      if (!rows) {
        absl::StatusOr<RowsAssembly> made = StartRows(params, piece);
        if (!made.ok()) return made.status();
        rows = *std::move(made);
        result.encoding = FromProto(piece.encoding());
      }
      return rows->Add(piece.rows());
    };
    const ChannelPool::Lease lease = pool_.Take(0);
    const auto stub = v1::PositionalEncoding::NewStub(lease.channel());
    if (absl::Status status =
            ServerStream(*stub, &EncodingStub::PrepareAsyncGetEncoding,
                         ToProto(params), params.call, take);
        !status.ok()) {
      return status;
    }
    if (!rows) return NothingSentError();
    absl::StatusOr<Tensor> tensor = (*std::move(rows)).Finish();
    if (!tensor.ok()) return tensor.status();
    result.rows = *std::move(tensor);
    return result;
  }

  absl::StatusOr<EncodingDescription> DescribeEncoding(
      const DescribeEncodingParams& params) override {
    const auto response =
        Unary(*encoding_, &EncodingStub::PrepareAsyncDescribeEncoding,
              ToProto(params), params.call, DeadlineOf(params.call));
    if (!response.ok()) return response.status();
    return FromProto(*response);
  }

  absl::StatusOr<std::vector<Profile>> ListProfiles(
      const ListProfilesParams& params) override {
    const auto response =
        Unary(*encoding_, &EncodingStub::PrepareAsyncListProfiles,
              v1::ListProfilesRequest(), params.call, DeadlineOf(params.call));
    if (!response.ok()) return response.status();
    std::vector<Profile> profiles;
    for (const v1::Profile& profile : response->profiles()) {
      profiles.push_back(FromProto(profile));
    }
    return profiles;
  }

  absl::StatusOr<std::vector<TableInfo>> ListTables(
      const ListTablesParams& params) override {
    const gpr_timespec deadline = DeadlineOf(params.call);
    std::vector<TableInfo> tables;
    v1::ListEmbeddingTablesRequest request;
    do {
      const auto response = Unary(*tables_, &TablesStub::PrepareAsyncList,
                                  request, params.call, deadline);
      if (!response.ok()) return response.status();
      for (const v1::EmbeddingTable& table : response->tables()) {
        tables.push_back(FromProto(table));
      }
      request.set_page_token(response->next_page_token());
    } while (!request.page_token().empty());
    return tables;
  }

  absl::StatusOr<GetTableResult> GetTable(
      const GetTableParams& params) override {
    GetTableResult result;
    std::optional<RowsAssembly> rows;
    const auto take = [&](const v1::GetEmbeddingTableResponse& piece) {
      if (!rows) {
        absl::StatusOr<RowsAssembly> made = StartRows(params, piece);
        if (!made.ok()) return made.status();
        rows = *std::move(made);
        result.table = FromProto(piece.table());
      }
      return piece.has_rows() ? rows->Add(piece.rows()) : absl::OkStatus();
    };
    const ChannelPool::Lease lease = pool_.Take(0);
    const auto stub = v1::EmbeddingTables::NewStub(lease.channel());
    if (absl::Status status = ServerStream(*stub, &TablesStub::PrepareAsyncGet,
                                           ToProto(params), params.call, take);
        !status.ok()) {
      return status;
    }
    if (!rows) return NothingSentError();
    absl::StatusOr<Tensor> tensor = (*std::move(rows)).Finish();
    if (!tensor.ok()) return tensor.status();
    result.rows = *std::move(tensor);
    return result;
  }

  absl::StatusOr<CacheListing> ListCache(
      const ListCacheParams& params) override {
    const auto response = Unary(*cache_, &CacheStub::PrepareAsyncList,
                                v1::ListEncodingCacheRequest(), params.call,
                                DeadlineOf(params.call));
    if (!response.ok()) return response.status();
    return FromProto(*response);
  }

  absl::StatusOr<WarmCacheResult> WarmCache(
      const WarmCacheParams& params) override {
    const auto response =
        Unary(*cache_, &CacheStub::PrepareAsyncWarm, ToProto(params),
              params.call, DeadlineOf(params.call));
    if (!response.ok()) return response.status();
    return FromProto(*response);
  }

  absl::StatusOr<EvictCacheResult> EvictCache(
      const EvictCacheParams& params) override {
    const auto response =
        Unary(*cache_, &CacheStub::PrepareAsyncEvict, ToProto(params),
              params.call, DeadlineOf(params.call));
    if (!response.ok()) return response.status();
    return FromProto(*response);
  }

  absl::StatusOr<Health> CheckHealth(const CheckHealthParams& params) override {
    Call call(params.call.cancelled, DeadlineOf(params.call));
    absl::StatusOr<grpc::ByteBuffer> response = BytesUnary(
        call, pool_.first(), kHealthCheckMethod, SerializeHealthCheckRequest());
    if (!response.ok()) return response.status();
    return ParseHealthCheckResponse(*response);
  }

 private:
  using EncodingStub = v1::PositionalEncoding::Stub;
  using TablesStub = v1::EmbeddingTables::Stub;
  using CacheStub = v1::EncodingCache::Stub;

  gpr_timespec DeadlineOf(const CallOptions& options) const {
    return DeadlineAfter(options.timeout.value_or(timeout_));
  }

  // Elements of a row; of a ROTARY encoding, a cosine and a sine for each pair.
  static std::uint64_t RowWidth(const v1::EncodingSpec& encoding) {
    if (encoding.kind() != v1::ROTARY) return encoding.d_model();
    if (encoding.frequency_scaling().rule() == v1::PROPORTIONAL) {
      const std::uint64_t pairs = encoding.d_model() / 2;
      return 2 * pairs;
    }
    return encoding.rotary_dimension();
  }

  static absl::StatusOr<RowsAssembly> StartRows(
      const GetEncodingParams& params, const v1::GetEncodingResponse& first) {
    const std::uint32_t d_model = first.encoding().d_model();
    if (params.encoding.d_model.value_or(d_model) != d_model) {
      return absl::InternalError(absl::StrCat(
          "the server sent rows of d_model ", d_model, " where d_model ",
          *params.encoding.d_model, " was asked for"));
    }
    return RowsAssembly::Create(params.dtype, RowCount(params),
                                RowWidth(first.encoding()),
                                params.call.progress);
  }

  static absl::StatusOr<RowsAssembly> StartRows(
      const GetTableParams& params,
      const v1::GetEmbeddingTableResponse& first) {
    const TableInfo table = FromProto(first.table());
    if (params.first_row > table.rows) {
      return absl::InternalError(
          absl::StrCat("the server sent rows from ", params.first_row,
                       " of a table that it says has ", table.rows, " rows"));
    }
    return RowsAssembly::Create(
        table.dtype, params.row_count.value_or(table.rows - params.first_row),
        table.d_model, params.call.progress);
  }

  // The result with its output in segments. Lets go of the channel and of the
  // request before the output is copied.
  absl::StatusOr<EncodeResult> EncodeSegments(const EncodeParams& params) {
    const auto request = EncodeRequest::Create(params, max_message_bytes_);
    if (!request.ok()) return request.status();
    Call call(params.call.cancelled, DeadlineOf(params.call));
    const auto hold = budget_->Take(request->bytes(), call);
    if (!hold.ok()) return hold.status();
    const auto message = request->ToMessage();
    if (!message.ok()) return message.status();
    const ChannelPool::Lease lease = pool_.Take(request->bytes());
    absl::StatusOr<grpc::ByteBuffer> response =
        BytesUnary(call, lease.channel(), kEncodeMethod, *message);
    if (!response.ok()) return response.status();
    return ParseEncodeResponse(*response);
  }

  // A unary call whose messages are bytes to gRPC.
  absl::StatusOr<grpc::ByteBuffer> BytesUnary(
      Call& call, const std::shared_ptr<grpc::Channel>& channel,
      const char* method, const grpc::ByteBuffer& request) {
    grpc::GenericStub stub(channel);
    return NameSizeKnobOf(CallUnary<grpc::ByteBuffer>(
        call, [&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
          return stub.PrepareUnaryCall(context, method, request, queue);
        }));
  }

  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Unary(Stub& stub,
                                 PrepareUnary<Stub, Request, Response> prepare,
                                 const Request& request,
                                 const CallOptions& options,
                                 gpr_timespec deadline) {
    if (absl::Status status =
            CheckRequestBytes(request.ByteSizeLong(), max_message_bytes_);
        !status.ok()) {
      return status;
    }
    Call call(options.cancelled, deadline);
    return NameSizeKnobOf(CallUnary<Response>(
        call, [&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
          return (stub.*prepare)(context, request, queue);
        }));
  }

  template <typename Stub, typename Request, typename Response, typename Take>
  absl::Status ServerStream(
      Stub& stub, PrepareServerStream<Stub, Request, Response> prepare,
      const Request& request, const CallOptions& options, Take take) {
    if (absl::Status status =
            CheckRequestBytes(request.ByteSizeLong(), max_message_bytes_);
        !status.ok()) {
      return status;
    }
    Call call(options.cancelled, DeadlineOf(options));
    const auto start = [&](grpc::ClientContext* context,
                           grpc::CompletionQueue* queue) {
      return (stub.*prepare)(context, request, queue);
    };
    return NameSizeKnob(CallServerStream<Response>(call, start, take),
                        max_message_bytes_);
  }

  template <typename Response>
  absl::StatusOr<Response> NameSizeKnobOf(absl::StatusOr<Response> result) {
    if (result.ok()) return result;
    return NameSizeKnob(result.status(), max_message_bytes_);
  }

  const std::chrono::milliseconds timeout_;
  const std::uint64_t max_message_bytes_;
  // Shared with streams, which may outlive the connection.
  const std::shared_ptr<ByteBudget> budget_;
  ChannelPool pool_;
  // The first channel's, for the small calls.
  const std::unique_ptr<EncodingStub> encoding_;
  const std::unique_ptr<TablesStub> tables_;
  const std::unique_ptr<CacheStub> cache_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<Connection>> ConnectGrpc(
    const ClientOptions& options) {
  absl::StatusOr<std::shared_ptr<grpc::Channel>> channel =
      ConnectChannel(options);
  if (!channel.ok()) return channel.status();
  return std::make_shared<GrpcConnection>(*std::move(channel), options);
}

}  // namespace posenc
