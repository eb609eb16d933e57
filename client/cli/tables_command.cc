#include "client/cli/tables_command.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/command.h"
#include "client/cli/elements.h"
#include "client/cli/json_output.h"
#include "client/cli/preview.h"
#include "client/cli/text_output.h"

namespace posenc::cli {
namespace {

Json TableJson(const posenc::TableInfo& table) {
  return {{"name", table.name},
          {"version", table.version},
          {"dtype", posenc::Name(table.dtype)},
          {"rows", table.rows},
          {"d_model", table.d_model},
          {"bytes", table.bytes}};
}

struct ListTablesCommand {
  void AddTo(CLI::App& app) {
    app.footer("Example:\n  posenc tables ls --json");
  }
  absl::Status Run(Session& session) const;
};

void ListInText(const std::vector<posenc::TableInfo>& tables,
                std::ostream& out) {
  TextTable text{{"name", "rows", "d_model", "dtype", "size", "version"}, {}};
  for (const posenc::TableInfo& table : tables) {
    text.rows.push_back({table.name, absl::StrCat(table.rows),
                         absl::StrCat(table.d_model), posenc::Name(table.dtype),
                         BytesText(table.bytes), table.version});
  }
  PrintTable(text, out);
}

absl::Status ListTablesCommand::Run(Session& session) const {
  const absl::StatusOr<std::vector<posenc::TableInfo>> tables =
      session.Call(&posenc::Client::ListTables, posenc::ListTablesParams());
  if (!tables.ok()) return tables.status();
  if (session.json()) {
    Json list = Json::array();
    for (const posenc::TableInfo& table : *tables) {
      list.push_back(TableJson(table));
    }
    PrintJson({{"tables", list}}, session.out());
  } else if (tables->empty()) {
    session.err() << "the server holds no embedding tables\n";
  } else {
    ListInText(*tables, session.out());
  }
  return absl::OkStatus();
}

struct ShowTableCommand {
  std::string name;
  PreviewOptions preview;

  void AddTo(CLI::App& app);
  absl::StatusOr<posenc::GetTableResult> GetSample(Session& session) const;
  absl::Status Run(Session& session) const;
};

void ShowTableCommand::AddTo(CLI::App& app) {
  app.footer("Example:\n  posenc tables show words --rows 2");
  app.add_option("name", name, "Name of the table")
      ->option_text("NAME")
      ->required();
  preview.AddTo(app);
}

// The first rows. The table is looked at first, for how many there are.
absl::StatusOr<posenc::GetTableResult> ShowTableCommand::GetSample(
    Session& session) const {
  posenc::GetTableParams params;
  params.name = name;
  params.row_count = 0;
  absl::StatusOr<posenc::GetTableResult> result =
      session.Call(&posenc::Client::GetTable, params);
  if (!result.ok()) return result;
  params.row_count = std::min(preview.size().rows, result->table.rows);
  if (params.row_count == 0) return result;
  return session.Call(&posenc::Client::GetTable, params);
}

std::vector<double> RowNorms(const posenc::TensorView& rows) {
  std::vector<double> norms;
  if (rows.shape.size() != 2) return norms;  // no rows were asked for
  for (std::uint64_t row = 0; row < rows.shape[0]; ++row) {
    double squares = 0;
    for (std::uint64_t i = 0; i < rows.shape[1]; ++i) {
      const double value = ElementAt(rows, row * rows.shape[1] + i);
      squares += value * value;
    }
    norms.push_back(std::sqrt(squares));
  }
  return norms;
}

std::string NormsText(const std::vector<double>& norms) {
  return absl::StrJoin(norms, ", ", [](std::string* out, double norm) {
    absl::StrAppend(out, NumberText(norm));
  });
}

void ShowInText(const posenc::GetTableResult& result,
                const PreviewSize& preview, std::ostream& out) {
  const posenc::TableInfo& table = result.table;
  PrintField("table", table.name, out);
  PrintField("version", table.version, out);
  PrintField("shape", ShapeText({table.rows, table.d_model}), out);
  PrintField("dtype", posenc::Name(table.dtype), out);
  PrintField("size",
             absl::StrCat(BytesText(table.bytes), " (", table.bytes, " B)"),
             out);
  const posenc::TensorView rows = ViewOf(result.rows);
  const std::vector<double> norms = RowNorms(rows);
  if (norms.empty()) return;
  PrintField("row norms", NormsText(norms), out);
  PrintField("first rows", ShapeText(rows.shape), out);
  PrintPreview(rows, preview, out);
}

absl::Status ShowTableCommand::Run(Session& session) const {
  const absl::StatusOr<posenc::GetTableResult> result = GetSample(session);
  if (!result.ok()) return result.status();
  if (!session.json()) {
    ShowInText(*result, preview.size(), session.out());
    return absl::OkStatus();
  }
  Json answer = TableJson(result->table);
  const posenc::TensorView rows = ViewOf(result->rows);
  const std::vector<double> norms = RowNorms(rows);
  answer["norms"] = norms;
  answer["values"] = norms.empty() ? Json::array() : ValuesJson(rows);
  PrintJson(answer, session.out());
  return absl::OkStatus();
}

}  // namespace

void AddTablesCommand(CLI::App& app, Action* action) {
  CLI::App* const group =
      app.add_subcommand("tables", "Look at the server's embedding tables");
  group->require_subcommand(1);
  group->footer("Example:\n  posenc tables ls");
  AddCommand<ListTablesCommand>(*group, "ls", "Every table", action);
  AddCommand<ShowTableCommand>(*group, "show", "One table, and its first rows",
                               action);
}

}  // namespace posenc::cli
