#include "client/cli/encoding_command.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/diff_command.h"
#include "client/cli/get_command.h"
#include "client/cli/json_output.h"
#include "client/cli/option_values.h"
#include "client/cli/plot_command.h"
#include "client/cli/profiles_command.h"
#include "client/cli/spec_options.h"
#include "client/cli/text_output.h"

namespace posenc::cli {
namespace {

constexpr char kShowFooter[] = R"(Example:
  posenc encoding show --d-model 512 --dtype bfloat16)";

// Frequencies to print before and after the gap, when there are many.
constexpr std::size_t kFirstFrequencies = 8;
constexpr std::size_t kLastFrequencies = 4;

struct ShowEncodingCommand {
  SpecOptions spec;
  std::optional<posenc::DType> dtype;
  std::optional<std::uint64_t> search;

  void AddTo(CLI::App& app);
  absl::Status Run(Session& session) const;
};

void ShowEncodingCommand::AddTo(CLI::App& app) {
  app.footer(kShowFooter);
  AddChoice(app, "--dtype", kFloatTypes, &dtype,
            "Type to state bounds for (default float32)");
  AddInteger(app, "--search", &search,
             "Positions to search for equal rows (default 65536)");
  spec.AddTo(app);
}

std::string CollisionText(const posenc::EncodingDescription& description) {
  if (!description.first_collision) {
    return absl::StrCat("none in the first ", description.positions_searched,
                        " positions");
  }
  return absl::StrCat("position ", *description.first_collision, " equals ",
                      description.collides_with.value_or(0), " in ",
                      posenc::Name(description.dtype));
}

TextTable FrequencyTable(const posenc::EncodingDescription& description) {
  TextTable table{{"i", "frequency", "wavelength"}, {}, /*numbers=*/true};
  const std::size_t count =
      std::min(description.frequencies.size(), description.wavelengths.size());
  const bool all = count <= kFirstFrequencies + kLastFrequencies;
  for (std::size_t i = 0; i < count; ++i) {
    if (!all && i == kFirstFrequencies) {
      table.rows.push_back({"…", "…", "…"});
      i = count - kLastFrequencies;
    }
    table.rows.push_back({absl::StrCat(i),
                          NumberText(description.frequencies[i]),
                          NumberText(description.wavelengths[i])});
  }
  return table;
}

void ShowInText(const posenc::EncodingDescription& description,
                std::ostream& out) {
  PrintField("encoding", posenc::EncodingSpecToJson(description.encoding), out);
  PrintField("operation", description.operation, out);
  PrintField("positions",
             absl::StrCat(description.first_position, " … ",
                          description.last_position),
             out);
  PrintField("largest error",
             absl::StrCat(NumberText(description.max_error), " in ",
                          posenc::Name(description.dtype)),
             out);
  PrintField("equal rows", CollisionText(description), out);
  if (description.attention_factor) {
    PrintField("attention", NumberText(*description.attention_factor), out);
  }
  if (description.float32_difference) {
    PrintField("float32 mode",
               absl::StrCat("off by up to ",
                            NumberText(*description.float32_difference),
                            " in the first ", description.float32_positions,
                            " positions"),
               out);
  }
  if (!description.frequencies.empty()) {
    out << '\n';
    PrintTable(FrequencyTable(description), out);
  }
}

void ShowInJson(const posenc::EncodingDescription& description,
                std::ostream& out) {
  Json answer;
  answer["encoding"] = SpecJson(description.encoding);
  answer["operation"] = description.operation;
  answer["first_position"] = description.first_position;
  answer["last_position"] = description.last_position;
  answer["dtype"] = posenc::Name(description.dtype);
  answer["max_error"] = description.max_error;
  answer["positions_searched"] = description.positions_searched;
  if (description.first_collision) {
    answer["first_collision"] = *description.first_collision;
    answer["collides_with"] = description.collides_with.value_or(0);
  }
  if (description.attention_factor) {
    answer["attention_factor"] = *description.attention_factor;
  }
  if (description.float32_difference) {
    answer["float32_difference"] = *description.float32_difference;
    answer["float32_positions"] = description.float32_positions;
  }
  answer["frequencies"] = description.frequencies;
  answer["wavelengths"] = description.wavelengths;
  PrintJson(answer, out);
}

absl::Status ShowEncodingCommand::Run(Session& session) const {
  posenc::DescribeEncodingParams params;
  absl::StatusOr<posenc::EncodingSpec> encoding = spec.Spec();
  if (!encoding.ok()) return encoding.status();
  params.encoding = *std::move(encoding);
  params.dtype = dtype.value_or(params.dtype);
  params.collision_search_positions = search;
  const absl::StatusOr<posenc::EncodingDescription> description =
      session.Call(&posenc::Client::DescribeEncoding, params);
  if (!description.ok()) return description.status();
  if (session.json()) {
    ShowInJson(*description, session.out());
  } else {
    ShowInText(*description, session.out());
  }
  return absl::OkStatus();
}

}  // namespace

void AddEncodingCommand(CLI::App& app, Action* action) {
  CLI::App* const group =
      app.add_subcommand("encoding", "Look at encodings by themselves");
  group->require_subcommand(1);
  group->footer("Example:\n  posenc encoding show --d-model 512");
  AddCommand<ShowEncodingCommand>(
      *group, "show", "What a spec means: frequencies, limits, errors", action);
  AddProfilesCommand(*group, action);
  AddDiffCommand(*group, action);
  AddGetCommand(*group, action);
  AddPlotCommand(*group, action);
}

}  // namespace posenc::cli
