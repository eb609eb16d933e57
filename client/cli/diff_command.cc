#include "client/cli/diff_command.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/command.h"
#include "client/cli/elements.h"
#include "client/cli/exit_code.h"
#include "client/cli/grid.h"
#include "client/cli/json_output.h"
#include "client/cli/option_values.h"
#include "client/cli/rows_difference.h"
#include "client/cli/spec_options.h"
#include "client/cli/text_output.h"

namespace posenc::cli {
namespace {

constexpr char kDiffFooter[] = R"(Examples:
  posenc encoding diff torchlingo tensor2tensor --d-model 512
  posenc encoding diff marian '{"profile": "marian-cpp"}' --d-model 8 --count 4)";
constexpr std::uint64_t kDefaultRows = 128;

struct DiffCommand {
  SpecOptions spec;
  std::string a;
  std::string b;
  std::optional<std::int64_t> from;
  std::optional<std::uint64_t> count;

  void AddTo(CLI::App& app);
  absl::StatusOr<posenc::GetEncodingResult> RowsOf(const std::string& side,
                                                   Session& session) const;
  absl::Status Run(Session& session) const;
};

void DiffCommand::AddTo(CLI::App& app) {
  app.footer(kDiffFooter);
  app.add_option("A", a, "A profile, or a spec as --spec takes it")
      ->required()
      ->type_name("PROFILE|JSON|@FILE");
  app.add_option("B", b, "The other one")
      ->required()
      ->type_name("PROFILE|JSON|@FILE");
  AddInteger(app, "--from", &from, "First position (default 0)");
  AddInteger(app, "--count", &count, "Number of positions (default 128)");
  spec.AddTo(app);
}

absl::StatusOr<posenc::GetEncodingResult> DiffCommand::RowsOf(
    const std::string& side, Session& session) const {
  posenc::EncodingSpec encoding;
  if (!side.empty() && (side.front() == '{' || side.front() == '@')) {
    absl::StatusOr<posenc::EncodingSpec> parsed = ParseSpec("a side", side);
    if (!parsed.ok()) return parsed.status();
    encoding = *std::move(parsed);
  } else {
    encoding.profile = side;
  }
  posenc::GetEncodingParams params;
  params.encoding = spec.Over(std::move(encoding));
  params.first_position = from.value_or(0);
  params.position_count = count.value_or(kDefaultRows);
  return session.Call(&posenc::Client::GetEncoding, params);
}

// A field that the two specs in force do not share, as JSON; null where one has
// none.
struct FieldDifference {
  std::string field;
  Json a;
  Json b;
};

std::vector<FieldDifference> CompareSpecs(const posenc::EncodingSpec& a,
                                          const posenc::EncodingSpec& b) {
  const Json json_a = SpecJson(a);
  const Json json_b = SpecJson(b);
  std::vector<FieldDifference> differences;
  for (const auto& [field, value] : json_a.items()) {
    const Json other = json_b.value(field, Json());
    if (value != other) differences.push_back({field, value, other});
  }
  for (const auto& [field, value] : json_b.items()) {
    if (!json_a.contains(field)) differences.push_back({field, {}, value});
  }
  return differences;
}

Json PartJson(const Part& part, std::int64_t first_position) {
  Json json;
  json["position"] = first_position + static_cast<std::int64_t>(part.row);
  json["channel"] = part.column;
  json["a"] = part.a;
  json["b"] = part.b;
  return json;
}

std::string PartText(const Part& part, std::int64_t first_position) {
  return absl::StrFormat("position %d, channel %d: %s and %s",
                         first_position + static_cast<std::int64_t>(part.row),
                         part.column, NumberText(part.a), NumberText(part.b));
}

void DiffInJson(const std::vector<FieldDifference>& fields,
                const RowsDifference& rows, std::int64_t first_position,
                std::ostream& out) {
  Json answer;
  answer["fields"] = Json::object();
  for (const FieldDifference& field : fields) {
    answer["fields"][field.field] = {field.a, field.b};
  }
  answer["elements"] = rows.elements;
  answer["different"] = rows.different;
  answer["different_channels"] = rows.different_columns;
  answer["reordered"] = rows.reordered;
  if (rows.first) answer["first"] = PartJson(*rows.first, first_position);
  if (rows.largest) answer["largest"] = PartJson(*rows.largest, first_position);
  PrintJson(answer, out);
}

void DiffInText(const std::vector<FieldDifference>& fields,
                const RowsDifference& rows, std::int64_t first_position,
                std::ostream& out) {
  TextTable table{{"field", "A", "B"}, {}};
  const auto cell = [](const Json& value) {
    if (value.is_null()) return std::string("–");
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  for (const FieldDifference& field : fields) {
    table.rows.push_back({field.field, cell(field.a), cell(field.b)});
  }
  PrintTable(table, out);
  out << '\n';
  PrintField(
      "different",
      absl::StrCat(rows.different, " of ", rows.elements, " elements, in ",
                   rows.different_columns, " channels"),
      out);
  if (!rows.first) return;
  PrintField("first", PartText(*rows.first, first_position), out);
  PrintField("largest", PartText(*rows.largest, first_position), out);
  PrintField("reordered", rows.reordered ? "yes" : "no", out);
}

absl::Status DiffCommand::Run(Session& session) const {
  const absl::StatusOr<posenc::GetEncodingResult> rows_a = RowsOf(a, session);
  if (!rows_a.ok()) return rows_a.status();
  const absl::StatusOr<posenc::GetEncodingResult> rows_b = RowsOf(b, session);
  if (!rows_b.ok()) return rows_b.status();
  if (rows_a->rows.shape() != rows_b->rows.shape()) {
    return LocalError(absl::StrCat("rows of A have ", rows_a->rows.shape()[1],
                                   " elements, but those of B ",
                                   rows_b->rows.shape()[1]));
  }
  const RowsDifference rows =
      CompareRows(GridOf(ViewOf(rows_a->rows)), GridOf(ViewOf(rows_b->rows)));
  const auto fields = CompareSpecs(rows_a->encoding, rows_b->encoding);
  const std::int64_t first_position = from.value_or(0);
  if (session.json()) {
    DiffInJson(fields, rows, first_position, session.out());
  } else {
    DiffInText(fields, rows, first_position, session.out());
  }
  return absl::OkStatus();
}

}  // namespace

void AddDiffCommand(CLI::App& encoding, Action* action) {
  AddCommand<DiffCommand>(encoding, "diff", "Where two encodings part", action);
}

}  // namespace posenc::cli
