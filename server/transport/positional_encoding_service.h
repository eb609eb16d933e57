#ifndef POSENC_SERVER_TRANSPORT_POSITIONAL_ENCODING_SERVICE_H_
#define POSENC_SERVER_TRANSPORT_POSITIONAL_ENCODING_SERVICE_H_

#include "posenc/v1/positional_encoding.grpc.pb.h"
#include "server/transport/call_context.h"

namespace posenc::server {

// PositionalEncoding: the hot methods raw, from a completion queue (encode_call
// and encode_stream_call), the others as plain synchronous methods.
class PositionalEncodingService final
    : public v1::PositionalEncoding::WithRawMethod_Encode<
          v1::PositionalEncoding::WithRawMethod_EncodeStream<
              v1::PositionalEncoding::Service>> {
 public:
  explicit PositionalEncodingService(CallContext& calls) : calls_(calls) {}

  grpc::Status GetEncoding(
      grpc::ServerContext* context, const v1::GetEncodingRequest* request,
      grpc::ServerWriter<v1::GetEncodingResponse>* writer) override;
  grpc::Status DescribeEncoding(
      grpc::ServerContext* context, const v1::DescribeEncodingRequest* request,
      v1::DescribeEncodingResponse* response) override;
  grpc::Status ListProfiles(grpc::ServerContext* context,
                            const v1::ListProfilesRequest* request,
                            v1::ListProfilesResponse* response) override;

 private:
  CallContext& calls_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_POSITIONAL_ENCODING_SERVICE_H_
