#include "client/cli/encode_command.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/elements.h"
#include "client/cli/encode_input.h"
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

constexpr char kEncodeFooter[] = R"(Examples:
  posenc encode embeddings.npy -o out.npy --profile pytorch
  posenc encode --ids 101,1996,4248,102 --ids 101,102 --table words
  posenc encode ids.npy --table words --lengths 12,16,22 --json
  posenc encode queries.npy --profile llama --batch-layout heads-sequence)";

constexpr Choice<posenc::BatchLayout> kBatchLayouts[] = {
    {"batch-first", posenc::BatchLayout::kBatchFirst},
    {"sequence-first", posenc::BatchLayout::kSequenceFirst},
    {"heads-sequence", posenc::BatchLayout::kHeadsSequence},
    {"sequence-heads", posenc::BatchLayout::kSequenceHeads}};

struct EncodeCommand {
  EncodeInputOptions input;
  SpecOptions spec;
  PositionsOptions positions;
  PreviewOptions preview;
  std::optional<posenc::BatchLayout> batch_layout;
  std::optional<posenc::DType> output_dtype;
  std::string table;
  std::optional<double> dropout;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> request_position;
  std::string output;

  void AddTo(CLI::App& app);
  void AddDropoutTo(CLI::App& app);
  absl::Status Run(Session& session) const;
};

void EncodeCommand::AddTo(CLI::App& app) {
  app.footer(kEncodeFooter);
  input.AddTo(app);
  app.add_option("--table", table,
                 "Token ids: the embedding table to look them up in (default: "
                 "the only one)")
      ->type_name("NAME")
      ->group("Input");
  AddChoice(app, "--batch-layout", kBatchLayouts, &batch_layout,
            "Order of the input's dimensions (default batch-first)")
      ->group("Input");
  app.add_option("-o,--output", output, "Write the result here")
      ->type_name("OUT.npy");
  AddChoice(app, "--output-dtype", kFloatTypes, &output_dtype,
            "Type of the result (default: that of the input)");
  AddDropoutTo(app);
  spec.AddTo(app);
  positions.AddTo(app);
  preview.AddTo(app);
}

void EncodeCommand::AddDropoutTo(CLI::App& app) {
  constexpr char kGroup[] = "Dropout";
  CLI::Option* const rate =
      AddNumber(app, "--dropout", &dropout,
                "Zero elements with this probability, and scale the others")
          ->group(kGroup);
  AddInteger(app, "--seed", &seed, "Of the dropout (default 0)")
      ->group(kGroup)
      ->needs(rate);
  AddInteger(app, "--request-position", &request_position,
             "Of the dropout: which batch this is (default 0)")
      ->group(kGroup)
      ->needs(rate);
}

// What is sent, with the memory that it points into.
struct EncodeArguments {
  EncodeInput input;
  PositionArrays positions;
  posenc::EncodeOptions options;
};

absl::Status MergeLengths(EncodeArguments& request) {
  PositionArrays& positions = request.positions;
  if (!request.input.lengths || positions.padded_lengths) {
    return absl::OkStatus();
  }
  if (positions.values) {
    return LocalError(
        "--ids of different lengths are sent with their lengths, and "
        "--positions cannot stand beside lengths");
  }
  positions.padded_lengths = std::move(request.input.lengths);
  return absl::OkStatus();
}

absl::StatusOr<EncodeArguments> MakeRequest(const EncodeCommand& command) {
  EncodeArguments request;
  request.options.batch_layout =
      command.batch_layout.value_or(posenc::BatchLayout::kBatchFirst);
  absl::StatusOr<posenc::EncodingSpec> spec = command.spec.Spec();
  if (!spec.ok()) return spec.status();
  absl::StatusOr<PositionArrays> positions = command.positions.Read();
  if (!positions.ok()) return positions.status();
  absl::StatusOr<EncodeInput> input = command.input.Read(
      {command.positions.packed(), request.options.batch_layout});
  if (!input.ok()) return input.status();
  if (!command.table.empty() &&
      input->kind != posenc::EncodeParams::Input::kTokenIds) {
    return LocalError(
        absl::StrCat("--table is for token ids, but the input is ",
                     posenc::Name(input->tensor.dtype)));
  }
  request.input = *std::move(input);
  request.positions = *std::move(positions);
  if (absl::Status status = MergeLengths(request); !status.ok()) return status;
  request.options.encoding = *std::move(spec);
  request.options.output_dtype = command.output_dtype;
  request.options.embedding_table = command.table;
  if (command.dropout) {
    request.options.dropout = {
        .rate = *command.dropout,
        .seed = command.seed.value_or(0),
        .request_position = command.request_position.value_or(0)};
  }
  request.options.positions = request.positions.View();
  return request;
}

absl::StatusOr<posenc::EncodeResult> Send(const EncodeArguments& request,
                                          Session& session) {
  absl::StatusOr<posenc::Client> client = session.Connect();
  if (!client.ok()) return client.status();
  Progress progress = session.Watch();
  const posenc::Payload payload = request.input.tensor;
  if (request.input.kind == posenc::EncodeParams::Input::kTokenIds) {
    return client->EncodeTokens(payload, request.options, progress.Call());
  }
  return client->Encode(payload, request.options, progress.Call());
}

void AnswerInJson(const posenc::EncodeResult& result, const std::string& file,
                  Session& session) {
  Json answer;
  answer["encoding"] = SpecJson(result.encoding);
  answer["embedding_scale"] = result.embedding_scale;
  if (!result.embedding_table.empty()) {
    answer["table"] = result.embedding_table;
    answer["version"] = result.embedding_table_version;
  }
  if (!file.empty()) answer["file"] = file;
  AddTensor(ViewOf(result.output), file.empty(), &answer);
  PrintJson(answer, session.out());
}

void AnswerInText(const posenc::EncodeResult& result, const std::string& file,
                  const PreviewSize& preview, Session& session) {
  std::ostream& out = session.out();
  PrintField("encoding", posenc::EncodingSpecToJson(result.encoding), out);
  PrintField("scale", NumberText(result.embedding_scale), out);
  if (!result.embedding_table.empty()) {
    PrintField("table",
               absl::StrCat(result.embedding_table, " (version ",
                            result.embedding_table_version, ")"),
               out);
  }
  PrintTensor("output", ViewOf(result.output), file, preview, out);
}

absl::Status EncodeCommand::Run(Session& session) const {
  const absl::StatusOr<EncodeArguments> request = MakeRequest(*this);
  if (!request.ok()) return request.status();
  const absl::StatusOr<posenc::EncodeResult> result = Send(*request, session);
  if (!result.ok()) return result.status();
  if (absl::Status status =
          SaveTensor(output, ViewOf(result->output), session.err());
      !status.ok()) {
    return status;
  }
  if (session.json()) {
    AnswerInJson(*result, output, session);
  } else {
    AnswerInText(*result, output, preview.size(), session);
  }
  return absl::OkStatus();
}

}  // namespace

void AddEncodeCommand(CLI::App& app, Action* action) {
  AddCommand<EncodeCommand>(
      app, "encode", "Add an encoding to embeddings, or to those of token ids",
      action);
}

}  // namespace posenc::cli
