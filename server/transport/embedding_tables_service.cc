#include "server/transport/embedding_tables_service.h"

#include <algorithm>

#include "server/base/limits.h"
#include "server/transport/rows_writer.h"
#include "server/transport/spec_codec.h"

namespace posenc::server {
namespace {

void Fill(const EmbeddingTable& table, v1::EmbeddingTable& proto) {
  proto.set_name(table.name);
  proto.set_version(table.version);
  proto.set_dtype(ToProto(table.host.dtype));
  proto.set_rows(table.host.rows);
  proto.set_d_model(table.host.width);
  proto.set_bytes(table.host.rows * table.host.width *
                  SizeOf(table.host.dtype));
}

}  // namespace

grpc::Status EmbeddingTablesService::List(
    grpc::ServerContext* context, const v1::ListEmbeddingTablesRequest* request,
    v1::ListEmbeddingTablesResponse* response) {
  const DrainGuard guard(calls_.drain());
  if (!guard.status().ok()) {
    return calls_.Finish("ListTables", *context, guard.status());
  }
  const std::size_t page =
      request->page_size() == 0
          ? kMaxTablesPage
          : std::min<std::size_t>(request->page_size(), kMaxTablesPage);
  const auto tables = calls_.engine().ListTables();
  // A page's token is the name of its first table.
  const auto begin =
      std::lower_bound(tables.begin(), tables.end(), request->page_token(),
                       [](const TablePointer& table, const std::string& name) {
                         return table->name < name;
                       });
  const auto left = static_cast<std::size_t>(tables.end() - begin);
  const auto end = begin + static_cast<std::ptrdiff_t>(std::min(page, left));
  for (auto table = begin; table != end; ++table) {
    Fill(**table, *response->add_tables());
  }
  if (end != tables.end()) response->set_next_page_token((*end)->name);
  return grpc::Status::OK;
}

grpc::Status EmbeddingTablesService::Get(
    grpc::ServerContext* context, const v1::GetEmbeddingTableRequest* request,
    grpc::ServerWriter<v1::GetEmbeddingTableResponse>* writer) {
  const DrainGuard guard(calls_.drain());
  if (!guard.status().ok()) {
    return calls_.Finish("GetTable", *context, guard.status());
  }
  TableRowsRequest wanted{.name = request->name(),
                          .first_row = request->first_row()};
  if (request->has_row_count()) wanted.row_count = request->row_count();
  RowsWriter<v1::GetEmbeddingTableResponse> rows(*context, *writer);
  absl::Status status = calls_.engine().GetTable(
      wanted,
      [&](const EmbeddingTable& table) {
        Fill(table, *rows.first().mutable_table());
      },
      [&](const RowsPiece& piece) { return rows.Write(piece); });
  if (status.ok() && wanted.row_count == 0 && !rows.Send()) {
    status = absl::CancelledError("the caller went away");
  }
  return calls_.Finish("GetTable", *context, status);
}

}  // namespace posenc::server
