#include "client/cli/plot_command.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/elements.h"
#include "client/cli/exit_code.h"
#include "client/cli/grid.h"
#include "client/cli/json_output.h"
#include "client/cli/option_values.h"
#include "client/cli/plot_picture.h"
#include "client/cli/png_writer.h"
#include "client/cli/spec_options.h"
#include "client/cli/terminal_map.h"
#include "client/cli/text_output.h"

namespace posenc::cli {
namespace {

constexpr char kPlotFooter[] = R"(Examples:
  posenc encoding plot --d-model 128 --count 100 -o encoding.png
  posenc encoding plot --profile hf-2d --grid 14x14 --d-model 128
  posenc encoding plot --profile alibi --d-model 8 --from -127)";
constexpr char kDefaultFile[] = "posenc-encoding.png";
constexpr std::uint64_t kDefaultCount = 128;

// A picture of this many pixels takes 48 MiB and is more than one can look at.
constexpr std::uint64_t kMaxValues = 1 << 24;

enum class Color { kAuto, kAlways, kNever };
constexpr Choice<Color> kColors[] = {{"auto", Color::kAuto},
                                     {"always", Color::kAlways},
                                     {"never", Color::kNever}};

struct PlotCommand {
  SpecOptions spec;
  std::optional<std::int64_t> from;
  std::optional<std::uint64_t> count;
  std::string output;
  std::optional<Color> color;

  void AddTo(CLI::App& app);
  absl::StatusOr<posenc::GetEncodingParams> MakeParams() const;
  bool Draws(const Session& session) const;
  absl::Status Run(Session& session) const;
};

void PlotCommand::AddTo(CLI::App& app) {
  app.footer(kPlotFooter);
  AddInteger(app, "--from", &from, "First position (default 0)");
  AddInteger(app, "--count", &count,
             "Number of positions (default 128, or all of a grid)");
  app.add_option("-o,--output", output,
                 absl::StrCat("Write the heat map here (default, when it is "
                              "not drawn: ",
                              kDefaultFile, ")"))
      ->type_name("FILE.png");
  AddChoice(app, "--color", kColors, &color,
            "Draw it on standard output (auto: in a true-colour terminal)");
  spec.AddTo(app);
}

absl::Status CheckSize(std::uint64_t rows, std::uint64_t channels) {
  if (rows <= kMaxValues / std::max<std::uint64_t>(channels, 1)) {
    return absl::OkStatus();
  }
  return LocalError(absl::StrCat("a plot of ", rows, " positions × ", channels,
                                 " channels has over ", kMaxValues,
                                 " values; give a smaller --count"));
}

// All of a grid's tokens; kDefaultCount where there is none.
std::uint64_t RowsOfGrid(const posenc::EncodingSpec& encoding) {
  if (encoding.grid_sizes.empty()) return kDefaultCount;
  std::uint64_t rows = 1;
  for (const std::uint32_t size : encoding.grid_sizes) {
    rows = std::min<std::uint64_t>(rows * size, kMaxValues);
  }
  return rows + encoding.class_rows.value_or(0);
}

absl::StatusOr<posenc::GetEncodingParams> PlotCommand::MakeParams() const {
  posenc::GetEncodingParams params;
  absl::StatusOr<posenc::EncodingSpec> encoding = spec.Spec();
  if (!encoding.ok()) return encoding.status();
  params.encoding = *std::move(encoding);
  params.first_position = from.value_or(0);
  params.position_count = count.value_or(RowsOfGrid(params.encoding));
  if (absl::Status status =
          CheckSize(params.position_count, params.encoding.d_model.value_or(1));
      !status.ok()) {
    return status;
  }
  return params;
}

bool PlotCommand::Draws(const Session& session) const {
  if (session.json()) return false;
  switch (color.value_or(Color::kAuto)) {
    case Color::kAlways:
      return true;
    case Color::kNever:
      return false;
    case Color::kAuto:
      break;
  }
  return session.terminal().true_color;
}

bool HasAngles(posenc::EncodingKind kind) {
  return kind == posenc::EncodingKind::kSinusoidal ||
         kind == posenc::EncodingKind::kSinusoidalGrid ||
         kind == posenc::EncodingKind::kRotary;
}

// Sines and cosines fill -1 … 1; other rows are as large as they are.
double RangeOf(const posenc::GetEncodingResult& result, const Grid& grid) {
  const posenc::EncodingSpec& spec = result.encoding;
  const bool scaled =
      spec.encoding_factor.has_value() ||
      spec.encoding_scale.value_or(posenc::EncodingScale::kUnscaled) !=
          posenc::EncodingScale::kUnscaled;
  const double largest = LargestMagnitude(grid);
  if (spec.kind && HasAngles(*spec.kind) && !scaled) {
    return std::max(1.0, largest);
  }
  return largest > 0 ? largest : 1;
}

void AnswerInJson(const posenc::GetEncodingResult& result, double range,
                  const std::string& file, const Image& image,
                  std::ostream& out) {
  Json answer;
  answer["encoding"] = SpecJson(result.encoding);
  answer["shape"] = result.rows.shape();
  answer["range"] = range;
  answer["file"] = file;
  answer["width"] = image.width();
  answer["height"] = image.height();
  PrintJson(answer, out);
}

void AnswerInText(const posenc::GetEncodingResult& result, double range,
                  std::ostream& out) {
  PrintField("encoding", posenc::EncodingSpecToJson(result.encoding), out);
  PrintField("positions", absl::StrCat(result.rows.shape()[0], ", downwards"),
             out);
  PrintField("channels",
             absl::StrCat(result.rows.shape()[1], ", from left to right"), out);
  PrintField("colours",
             absl::StrCat("blue -", NumberText(range), ", white 0, red ",
                          NumberText(range)),
             out);
}

absl::Status PlotCommand::Run(Session& session) const {
  const absl::StatusOr<posenc::GetEncodingParams> params = MakeParams();
  if (!params.ok()) return params.status();
  const absl::StatusOr<posenc::GetEncodingResult> result =
      session.Call(&posenc::Client::GetEncoding, *params);
  if (!result.ok()) return result.status();
  const posenc::Shape& shape = result->rows.shape();
  if (absl::Status status = CheckSize(shape[0], shape[1]); !status.ok()) {
    return status;
  }
  const Grid grid = GridOf(ViewOf(result->rows));
  const double range = RangeOf(*result, grid);
  const bool draws = Draws(session);
  if (!session.json()) AnswerInText(*result, range, session.out());
  if (draws) {
    DrawInTerminal(grid, range,
                   static_cast<std::size_t>(session.terminal().width),
                   session.out());
  }
  if (draws && output.empty()) return absl::OkStatus();

  const std::string file = output.empty() ? kDefaultFile : output;
  const Image image = DrawPlot(grid, params->first_position, range);
  if (absl::Status status = WritePng(file, image); !status.ok()) return status;
  if (session.json()) {
    AnswerInJson(*result, range, file, image, session.out());
  } else {
    PrintField("written to", file, session.out());
  }
  return absl::OkStatus();
}

}  // namespace

void AddPlotCommand(CLI::App& encoding, Action* action) {
  AddCommand<PlotCommand>(encoding, "plot",
                          "A heat map of positions and channels", action);
}

}  // namespace posenc::cli
