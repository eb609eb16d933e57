#include "server/transport/call_context.h"

#include <chrono>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/transport/status.h"

namespace posenc::server {
namespace {

// A client that keeps failing must not fill the disk.
constexpr std::uint32_t kLoggedAtOnce = 20;
constexpr auto kLoggedInterval = std::chrono::milliseconds(200);
// Bytes of a message in the log; it may quote what the caller sent.
constexpr std::size_t kLoggedBytes = 500;

}  // namespace

CallContext::CallContext(Engine& engine, Drain& drain, WorkerPool& workers)
    : engine_(engine),
      drain_(drain),
      workers_(workers),
      rate_(kLoggedAtOnce, kLoggedInterval) {}

grpc::Status CallContext::Finish(absl::string_view method,
                                 const grpc::ServerContextBase& context,
                                 const absl::Status& status) {
  if (!status.ok()) LogFailure(method, context, status);
  return ToGrpc(status);
}

void CallContext::LogFailure(absl::string_view method,
                             const grpc::ServerContextBase& context,
                             const absl::Status& status) {
  const auto held_back = rate_.Pass(LogRate::Clock::now());
  if (!held_back) return;
  Log(LogLevel::kWarning, "request failed",
      {{"method", std::string(method)},
       {"code", absl::StatusCodeToString(status.code())},
       {"reason", ReasonOf(status)},
       {"message", std::string(status.message().substr(0, kLoggedBytes))},
       {"peer", context.peer()},
       {"not_logged_before", absl::StrCat(*held_back)}});
}

absl::Status CheckDeadline(const grpc::ServerContextBase& context) {
  if (std::chrono::system_clock::now() < context.deadline()) {
    return absl::OkStatus();
  }
  return Error(absl::StatusCode::kDeadlineExceeded, "DEADLINE_EXCEEDED",
               "the deadline passed before the work began");
}

}  // namespace posenc::server
