#ifndef POSENC_SERVER_TRANSPORT_ROWS_WRITER_H_
#define POSENC_SERVER_TRANSPORT_ROWS_WRITER_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/sync_stream.h>

#include <string>

#include "server/service/engine.h"
#include "server/transport/spec_codec.h"

namespace posenc::server {

// Writes pieces of rows to a stream of messages that each have a Tensor `rows`.
template <typename Message>
class RowsWriter {
 public:
  RowsWriter(grpc::ServerContext& context, grpc::ServerWriter<Message>& writer)
      : context_(context), writer_(writer) {}

  // The message that the first piece goes into.
  Message& first() { return message_; }

  // False when the caller has gone away.
  bool Write(const RowsPiece& piece) {
    v1::Tensor& rows = *message_.mutable_rows();
    rows.set_dtype(ToProto(piece.dtype));
    rows.add_shape(piece.rows);
    rows.add_shape(piece.width);
    rows.set_data(reinterpret_cast<const char*>(piece.data.data()),
                  piece.data.size());
    return Send();
  }

  // Sends the message without rows, for calls that asked for none.
  bool Send() {
    const bool sent = !context_.IsCancelled() && writer_.Write(message_);
    message_.Clear();
    return sent;
  }

 private:
  grpc::ServerContext& context_;
  grpc::ServerWriter<Message>& writer_;
  Message message_;
};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_ROWS_WRITER_H_
