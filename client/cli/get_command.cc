#include "client/cli/get_command.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "client/cli/command.h"
#include "client/cli/elements.h"
#include "client/cli/exit_code.h"
#include "client/cli/json_output.h"
#include "client/cli/option_values.h"
#include "client/cli/positions_options.h"
#include "client/cli/preview.h"
#include "client/cli/spec_options.h"
#include "client/cli/tensor_file.h"
#include "client/cli/text_output.h"

namespace posenc::cli {
namespace {

constexpr char kGetFooter[] = R"(Examples:
  posenc encoding get --d-model 512 --from 1000 --count 24 -o rows.npy
  posenc encoding get --d-model 8 --positions 0,2.5,-7)";

// Parameters, with the memory that they point into.
struct GetArguments {
  std::optional<posenc::SharedTensor> positions;
  posenc::GetEncodingParams params;
};

struct GetCommand {
  SpecOptions spec;
  PreviewOptions preview;
  std::optional<std::int64_t> from;
  std::optional<std::uint64_t> count;
  std::string positions;
  std::optional<posenc::DType> dtype;
  std::string output;

  void AddTo(CLI::App& app);
  absl::StatusOr<GetArguments> MakeRequest() const;
  absl::Status Run(Session& session) const;
};

void GetCommand::AddTo(CLI::App& app) {
  app.footer(kGetFooter);
  CLI::Option* const first =
      AddInteger(app, "--from", &from, "First position (default 0)");
  CLI::Option* const rows =
      AddInteger(app, "--count", &count, "Number of positions");
  app.add_option("--positions", positions, "These positions instead")
      ->type_name("0,1,2.5|FILE.npy")
      ->excludes(first)
      ->excludes(rows);
  AddChoice(app, "--dtype", kFloatTypes, &dtype,
            "Type of the rows (default float32)");
  app.add_option("-o,--output", output, "Write the rows here")
      ->type_name("OUT.npy");
  spec.AddTo(app);
  preview.AddTo(app);
}

absl::StatusOr<GetArguments> GetCommand::MakeRequest() const {
  GetArguments request;
  absl::StatusOr<posenc::EncodingSpec> encoding = spec.Spec();
  if (!encoding.ok()) return encoding.status();
  request.params.encoding = *std::move(encoding);
  request.params.dtype = dtype.value_or(request.params.dtype);
  if (positions.empty()) {
    if (!count) {
      return LocalError("which positions? Give --count N or --positions");
    }
    request.params.first_position = from.value_or(0);
    request.params.position_count = *count;
    return request;
  }
  absl::StatusOr<posenc::SharedTensor> values =
      ReadPositions("--positions", positions);
  if (!values.ok()) return values.status();
  request.positions = *std::move(values);
  request.params.positions = ViewOf(*request.positions);
  return request;
}

absl::Status GetCommand::Run(Session& session) const {
  const absl::StatusOr<GetArguments> request = MakeRequest();
  if (!request.ok()) return request.status();
  const absl::StatusOr<posenc::GetEncodingResult> result =
      session.Call(&posenc::Client::GetEncoding, request->params);
  if (!result.ok()) return result.status();
  const posenc::TensorView rows = ViewOf(result->rows);
  if (absl::Status status = SaveTensor(output, rows, session.err());
      !status.ok()) {
    return status;
  }
  if (session.json()) {
    Json answer;
    answer["encoding"] = SpecJson(result->encoding);
    if (!output.empty()) answer["file"] = output;
    AddTensor(rows, output.empty(), &answer);
    PrintJson(answer, session.out());
    return absl::OkStatus();
  }
  PrintField("encoding", posenc::EncodingSpecToJson(result->encoding),
             session.out());
  PrintTensor("rows", rows, output, preview.size(), session.out());
  return absl::OkStatus();
}

}  // namespace

void AddGetCommand(CLI::App& encoding, Action* action) {
  AddCommand<GetCommand>(encoding, "get", "The rows of positions", action);
}

}  // namespace posenc::cli
