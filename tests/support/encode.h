#ifndef POSENC_TESTS_SUPPORT_ENCODE_H_
#define POSENC_TESTS_SUPPORT_ENCODE_H_

#include "absl/status/statusor.h"
#include "server/service/engine.h"

namespace posenc::testing {

struct Encoded {
  server::EncodePlan plan;
  server::ResponseBuffer output;
};

// Plans a request and runs it once.
inline absl::StatusOr<Encoded> Encode(server::Engine& engine,
                                      const server::EncodeRequest& request) {
  auto plan = engine.Plan(request);
  if (!plan.ok()) return plan.status();
  server::Segments embeddings;
  if (request.embeddings) embeddings = request.embeddings->data;
  auto output = engine.Run(*plan, embeddings, server::Overwrite::kNever);
  if (!output.ok()) return output.status();
  return Encoded{*std::move(plan), *std::move(output)};
}

}  // namespace posenc::testing

#endif  // POSENC_TESTS_SUPPORT_ENCODE_H_
