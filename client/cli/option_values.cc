#include "client/cli/option_values.h"

#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/cli/exit_code.h"

namespace posenc::cli {

absl::StatusOr<std::vector<std::int64_t>> ParseIntegers(
    absl::string_view text) {
  std::vector<std::int64_t> values;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    std::int64_t value = 0;
    if (!absl::SimpleAtoi(part, &value)) {
      return LocalError(absl::StrCat("'", part, "' in '", text,
                                     "' is not an integer of 64 bits"));
    }
    values.push_back(value);
  }
  return values;
}

absl::StatusOr<std::vector<double>> ParseNumbers(absl::string_view text) {
  std::vector<double> values;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    double value = 0;
    if (!absl::SimpleAtod(part, &value) || !std::isfinite(value)) {
      return LocalError(
          absl::StrCat("'", part, "' in '", text, "' is not a finite number"));
    }
    values.push_back(value);
  }
  return values;
}

std::string NormalWord(absl::string_view text) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(text), {{"_", "-"}});
}

CLI::Option* AddNumber(CLI::App& app, const std::string& name,
                       std::optional<double>* target, const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [name, target](const std::string& text) {
            double value = 0;
            if (!absl::SimpleAtod(text, &value)) {
              throw CLI::ValidationError(
                  absl::StrCat(name, " takes a number, not '", text, "'"));
            }
            *target = value;
          },
          help)
      ->type_name("X");
}

CLI::Option* AddNumbers(CLI::App& app, const std::string& name,
                        std::vector<double>* target, const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [name, target](const std::string& text) {
            absl::StatusOr<std::vector<double>> values = ParseNumbers(text);
            if (!values.ok()) {
              throw CLI::ValidationError(
                  absl::StrCat(name, ": ", values.status().message()));
            }
            *target = *std::move(values);
          },
          help)
      ->type_name("X,X,…");
}

CLI::Option* AddBoolean(CLI::App& app, const std::string& name,
                        std::optional<bool>* target, const std::string& help) {
  static constexpr Choice<bool> kBooleans[] = {{"true", true},
                                               {"false", false}};
  return AddChoice(app, name, kBooleans, target, help);
}

}  // namespace posenc::cli
