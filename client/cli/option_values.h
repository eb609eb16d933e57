#ifndef POSENC_CLI_OPTION_VALUES_H_
#define POSENC_CLI_OPTION_VALUES_H_

// The values that options take. CLI11's own conversions are not used: they
// read 010 as eight and -1 as 2^64 - 1.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
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

// --name a|b|c. The choices must be of static storage.
template <typename E, std::size_t N>
CLI::Option* AddChoice(CLI::App& app, const std::string& name,
                       const Choice<E> (&choices)[N], std::optional<E>* target,
                       const std::string& help) {
  std::string names;
  for (const Choice<E>& choice : choices) {
    absl::StrAppend(&names, names.empty() ? "" : "|", choice.name);
  }
  return app
      .add_option_function<std::string>(
          name,
          [name, &choices, names, target](const std::string& text) {
            const std::string word = NormalWord(text);
            const auto* const found = std::find_if(
                choices, choices + N, [&word](const Choice<E>& choice) {
                  return choice.name == word;
                });
            if (found == choices + N) {
              throw CLI::ValidationError(
                  absl::StrCat(name, " takes ", names, ", not '", text, "'"));
            }
            *target = found->value;
          },
          help)
      ->type_name(names);
}

}  // namespace posenc::cli

#endif  // POSENC_CLI_OPTION_VALUES_H_
