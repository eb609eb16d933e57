#include "client/cli/cache_command.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/exit_code.h"
#include "client/cli/json_output.h"
#include "client/cli/option_values.h"
#include "client/cli/spec_options.h"
#include "client/cli/text_output.h"

namespace posenc::cli {
namespace {

struct ListEncodingsCommand {
  void AddTo(CLI::App& app) {
    app.footer("Example:\n  posenc cache ls --json");
  }
  absl::Status Run(Session& session) const;
};

void ListInText(const posenc::CacheListing& cache, std::ostream& out) {
  PrintField("device", cache.device, out);
  PrintField("used",
             absl::StrCat(BytesText(cache.bytes), " of ",
                          BytesText(cache.capacity_bytes)),
             out);
  PrintField("hits", absl::StrCat(cache.hits), out);
  PrintField("chunks",
             absl::StrCat(cache.chunks_built, " built, ", cache.chunks_evicted,
                          " evicted"),
             out);
  if (cache.encodings.empty()) return;
  TextTable table{{"chunks", "size", "built", "hits", "encoding"}, {}};
  for (const posenc::CachedEncoding& entry : cache.encodings) {
    table.rows.push_back({absl::StrCat(entry.chunks), BytesText(entry.bytes),
                          absl::StrCat(entry.chunks_built),
                          absl::StrCat(entry.hits),
                          posenc::EncodingSpecToJson(entry.encoding)});
  }
  out << '\n';
  PrintTable(table, out);
}

void ListInJson(const posenc::CacheListing& cache, std::ostream& out) {
  Json encodings = Json::array();
  for (const posenc::CachedEncoding& entry : cache.encodings) {
    encodings.push_back({{"encoding", SpecJson(entry.encoding)},
                         {"chunks", entry.chunks},
                         {"bytes", entry.bytes},
                         {"chunks_built", entry.chunks_built},
                         {"hits", entry.hits}});
  }
  PrintJson({{"device", cache.device},
             {"server_version", cache.server_version},
             {"bytes", cache.bytes},
             {"capacity_bytes", cache.capacity_bytes},
             {"hits", cache.hits},
             {"chunks_built", cache.chunks_built},
             {"chunks_evicted", cache.chunks_evicted},
             {"encodings", encodings}},
            out);
}

absl::Status ListEncodingsCommand::Run(Session& session) const {
  const absl::StatusOr<posenc::CacheListing> cache =
      session.Call(&posenc::Client::ListCache, posenc::ListCacheParams());
  if (!cache.ok()) return cache.status();
  if (session.json()) {
    ListInJson(*cache, session.out());
  } else {
    ListInText(*cache, session.out());
  }
  return absl::OkStatus();
}

struct WarmCommand {
  SpecOptions spec;
  std::optional<std::int64_t> from;
  std::optional<std::uint64_t> count;

  void AddTo(CLI::App& app);
  absl::Status Run(Session& session) const;
};

void WarmCommand::AddTo(CLI::App& app) {
  app.footer(
      "Example:\n  posenc cache warm --d-model 512 --from 0 --count 4096");
  AddInteger(app, "--from", &from, "First position (default 0)");
  AddInteger(app, "--count", &count, "Number of positions")->required();
  spec.AddTo(app);
}

absl::Status WarmCommand::Run(Session& session) const {
  posenc::WarmCacheParams params;
  absl::StatusOr<posenc::EncodingSpec> encoding = spec.Spec();
  if (!encoding.ok()) return encoding.status();
  params.encoding = *std::move(encoding);
  params.first_position = from.value_or(0);
  params.position_count = count.value_or(0);
  const absl::StatusOr<posenc::WarmCacheResult> result =
      session.Call(&posenc::Client::WarmCache, params);
  if (!result.ok()) return result.status();
  if (session.json()) {
    PrintJson({{"encoding", SpecJson(result->encoding)},
               {"chunks_built", result->chunks_built},
               {"chunks_found", result->chunks_found}},
              session.out());
    return absl::OkStatus();
  }
  PrintField("encoding", posenc::EncodingSpecToJson(result->encoding),
             session.out());
  PrintField("chunks",
             absl::StrCat(result->chunks_built, " built, ",
                          result->chunks_found, " there before"),
             session.out());
  return absl::OkStatus();
}

struct EvictCommand {
  SpecOptions spec;
  bool all = false;

  void AddTo(CLI::App& app);
  absl::Status Run(Session& session) const;
};

void EvictCommand::AddTo(CLI::App& app) {
  app.footer(
      "Examples:\n  posenc cache evict --d-model 512\n"
      "  posenc cache evict --all");
  app.add_flag("--all", all, "Every encoding, instead of one");
  spec.AddTo(app);
}

absl::Status EvictCommand::Run(Session& session) const {
  if (all == spec.given()) {
    return LocalError("which encoding? Give either its options or --all");
  }
  posenc::EvictCacheParams params;
  if (!all) {
    absl::StatusOr<posenc::EncodingSpec> encoding = spec.Spec();
    if (!encoding.ok()) return encoding.status();
    params.encoding = *std::move(encoding);
  }
  const absl::StatusOr<posenc::EvictCacheResult> result =
      session.Call(&posenc::Client::EvictCache, params);
  if (!result.ok()) return result.status();
  if (session.json()) {
    PrintJson({{"chunks", result->chunks}, {"bytes", result->bytes}},
              session.out());
  } else {
    PrintField(
        "evicted",
        absl::StrCat(result->chunks, " chunks, ", BytesText(result->bytes)),
        session.out());
  }
  return absl::OkStatus();
}

}  // namespace

void AddCacheCommand(CLI::App& app, Action* action) {
  CLI::App* const group = app.add_subcommand(
      "cache", "Look at, fill and empty the server's encoding tables");
  group->require_subcommand(1);
  group->footer("Example:\n  posenc cache ls");
  AddCommand<ListEncodingsCommand>(*group, "ls", "What is held", action);
  AddCommand<WarmCommand>(*group, "warm", "Build a range of positions now",
                          action);
  AddCommand<EvictCommand>(*group, "evict", "Drop one encoding, or all",
                           action);
}

}  // namespace posenc::cli
