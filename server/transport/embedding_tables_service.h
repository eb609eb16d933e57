#ifndef POSENC_SERVER_TRANSPORT_EMBEDDING_TABLES_SERVICE_H_
#define POSENC_SERVER_TRANSPORT_EMBEDDING_TABLES_SERVICE_H_

#include "posenc/v1/embedding_tables.grpc.pb.h"
#include "server/transport/call_context.h"

namespace posenc::server {

class EmbeddingTablesService final : public v1::EmbeddingTables::Service {
 public:
  explicit EmbeddingTablesService(CallContext& calls) : calls_(calls) {}

  grpc::Status List(grpc::ServerContext* context,
                    const v1::ListEmbeddingTablesRequest* request,
                    v1::ListEmbeddingTablesResponse* response) override;
  grpc::Status Get(
      grpc::ServerContext* context, const v1::GetEmbeddingTableRequest* request,
      grpc::ServerWriter<v1::GetEmbeddingTableResponse>* writer) override;

 private:
  CallContext& calls_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_EMBEDDING_TABLES_SERVICE_H_
