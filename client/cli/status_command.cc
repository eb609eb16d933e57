#include "client/cli/status_command.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/json_output.h"
#include "client/cli/text_output.h"

namespace posenc::cli {
namespace {

struct ServerStatus {
  posenc::CacheListing cache;
  std::size_t tables = 0;
};

struct StatusCommand {
  void AddTo(CLI::App& app) {
    app.footer("Example:\n  posenc status --address 127.0.0.1:50051");
  }
  absl::Status Run(Session& session) const;
};

absl::StatusOr<ServerStatus> Ask(Session& session) {
  absl::StatusOr<posenc::CacheListing> cache =
      session.Call(&posenc::Client::ListCache, posenc::ListCacheParams());
  if (!cache.ok()) return cache.status();
  const absl::StatusOr<std::vector<posenc::TableInfo>> tables =
      session.Call(&posenc::Client::ListTables, posenc::ListTablesParams());
  if (!tables.ok()) return tables.status();
  return ServerStatus{*std::move(cache), tables->size()};
}

void PrintNotServing(const Session& session) {
  if (session.json()) {
    PrintJson({{"address", session.address()}, {"health", "NOT_SERVING"}},
              session.out());
    return;
  }
  PrintField("address", session.address(), session.out());
  PrintField("health", "NOT_SERVING", session.out());
}

void AnswerInJson(const ServerStatus& status, const Session& session) {
  PrintJson({{"address", session.address()},
             {"health", "SERVING"},
             {"server_version", status.cache.server_version},
             {"device", status.cache.device},
             {"cache",
              {{"bytes", status.cache.bytes},
               {"capacity_bytes", status.cache.capacity_bytes}}},
             {"tables", status.tables}},
            session.out());
}

void AnswerInText(const ServerStatus& status, const Session& session) {
  std::ostream& out = session.out();
  PrintField("address", session.address(), out);
  PrintField("health", "SERVING", out);
  PrintField("version", status.cache.server_version, out);
  PrintField("device", status.cache.device, out);
  PrintField("cache",
             absl::StrCat(BytesText(status.cache.bytes), " of ",
                          BytesText(status.cache.capacity_bytes)),
             out);
  PrintField("tables", absl::StrCat(status.tables), out);
}

absl::Status StatusCommand::Run(Session& session) const {
  const absl::StatusOr<posenc::Health> health =
      session.Call(&posenc::Client::CheckHealth, posenc::CheckHealthParams());
  if (!health.ok()) return health.status();
  if (*health != posenc::Health::kServing) {
    PrintNotServing(session);
    return absl::UnavailableError(
        absl::StrCat("the server at ", session.address(), " does not serve"));
  }
  const absl::StatusOr<ServerStatus> status = Ask(session);
  if (!status.ok()) return status.status();
  if (session.json()) {
    AnswerInJson(*status, session);
  } else {
    AnswerInText(*status, session);
  }
  return absl::OkStatus();
}

}  // namespace

void AddStatusCommand(CLI::App& app, Action* action) {
  AddCommand<StatusCommand>(
      app, "status", "Whether a server is there, and what it is", action);
}

}  // namespace posenc::cli
