#ifndef POSENC_CLI_OPTION_VALUES_H_
#define POSENC_CLI_OPTION_VALUES_H_

// The values that options take. CLI11's own conversions are not used: they
// read 010 as eight and -1 as 2^64 - 1.

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "posenc/tensor.h"

namespace posenc::cli {

// "1,2,3", all of them integers of 64 bits.
absl::StatusOr<std::vector<std::int64_t>> ParseIntegers(absl::string_view text);

// "0,1,2.5", all of them finite.
absl::StatusOr<std::vector<double>> ParseNumbers(absl::string_view text);

// Lower case, with - for _: SIN_COS and sin-cos are the same word.
std::string NormalWord(absl::string_view text);

// A name for a value of an enumeration.
template <typename E>
struct Choice {
  const char* name;
  E value;
};

inline constexpr Choice<posenc::DType> kFloatTypes[] = {
    {"float32", posenc::DType::kFloat32},
    {"float16", posenc::DType::kFloat16},
    {"bfloat16", posenc::DType::kBFloat16},
    {"float64", posenc::DType::kFloat64}};

// --name N, a decimal integer of type T.
template <typename T>
CLI::Option* AddInteger(CLI::App& app, const std::string& name,
                        std::optional<T>* target, const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [name, target](const std::string& text) {
            T value = 0;
            if (!absl::SimpleAtoi(text, &value)) {
              throw CLI::ValidationError(absl::StrCat(
                  name, " takes an integer of ", 8 * sizeof(T),
                  std::is_signed_v<T> ? " bits" : " bits without a sign",
                  ", not '", text, "'"));
            }
            *target = value;
          },
          help)
      ->type_name("N");
}

// --name X, any number.
CLI::Option* AddNumber(CLI::App& app, const std::string& name,
                       std::optional<double>* target, const std::string& help);

// --name X,X,…: finite numbers.
CLI::Option* AddNumbers(CLI::App& app, const std::string& name,
                        std::vector<double>* target, const std::string& help);

// --name true|false.
CLI::Option* AddBoolean(CLI::App& app, const std::string& name,
                        std::optional<bool>* target, const std::string& help);

// "a|b|c".
template <typename E, std::size_t N>
std::string ChoiceNames(const Choice<E> (&choices)[N]) {
  std::string names;
  for (const Choice<E>& choice : choices) {
    absl::StrAppend(&names, names.empty() ? "" : "|", choice.name);
  }
  return names;
}

// The choice of that name; none if there is none.
template <typename E, std::size_t N>
std::optional<E> FindChoice(const Choice<E> (&choices)[N],
                            absl::string_view text) {
  const std::string word = NormalWord(text);
  for (const Choice<E>& choice : choices) {
    if (choice.name == word) return choice.value;
  }
  return std::nullopt;
}

// --name a|b|c. The choices must be of static storage.
template <typename E, std::size_t N>
CLI::Option* AddChoice(CLI::App& app, const std::string& name,
                       const Choice<E> (&choices)[N], std::optional<E>* target,
                       const std::string& help) {
  const std::string names = ChoiceNames(choices);
  return app
      .add_option_function<std::string>(
          name,
          [name, &choices, names, target](const std::string& text) {
            *target = FindChoice(choices, text);
            if (!target->has_value()) {
              throw CLI::ValidationError(
                  absl::StrCat(name, " takes ", names, ", not '", text, "'"));
            }
          },
          help)
      ->type_name(names);
}

// --name a,b: several of them, in order.
template <typename E, std::size_t N>
CLI::Option* AddChoices(CLI::App& app, const std::string& name,
                        const Choice<E> (&choices)[N], std::vector<E>* target,
                        const std::string& help) {
  const std::string names = ChoiceNames(choices);
  return app
      .add_option_function<std::string>(
          name,
          [name, &choices, names, target](const std::string& text) {
            target->clear();
            for (const absl::string_view part : absl::StrSplit(text, ',')) {
              const std::optional<E> value = FindChoice(choices, part);
              if (!value) {
                throw CLI::ValidationError(
                    absl::StrCat(name, " takes ", names,
                                 " with commas between, not '", text, "'"));
              }
              target->push_back(*value);
            }
          },
          help)
      ->type_name(names + ",…");
}

// --name a|b|c|NUMBER: a rule, or a number in its place. The choices must be of
// static storage.
template <typename E, std::size_t N>
CLI::Option* AddRuleOrNumber(CLI::App& app, const std::string& name,
                             const Choice<E> (&choices)[N],
                             std::optional<E>* rule,
                             std::optional<double>* number,
                             const std::string& help) {
  const std::string takes = ChoiceNames(choices) + "|NUMBER";
  return app
      .add_option_function<std::string>(
          name,
          [name, &choices, takes, rule, number](const std::string& text) {
            *rule = FindChoice(choices, text);
            if (rule->has_value()) return;
            double value = 0;
            if (!absl::SimpleAtod(text, &value) || !std::isfinite(value)) {
              throw CLI::ValidationError(
                  absl::StrCat(name, " takes ", takes, ", not '", text, "'"));
            }
            *number = value;
          },
          help)
      ->type_name(takes);
}

}  // namespace posenc::cli

#endif  // POSENC_CLI_OPTION_VALUES_H_
