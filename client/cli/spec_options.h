#ifndef POSENC_CLI_SPEC_OPTIONS_H_
#define POSENC_CLI_SPEC_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "posenc/encoding_spec.h"

namespace posenc::cli {

// JSON, or @FILE with it. `what` names the value in errors.
absl::StatusOr<posenc::EncodingSpec> ParseSpec(const std::string& what,
                                               const std::string& value);

// The options that say which encoding: one for each field of an EncodingSpec,
// and --spec for all of them at once.
class SpecOptions {
 public:
  // The object must outlive the parse of `app`.
  void AddTo(CLI::App& app);

  // --spec, with the fields that have an option of their own put over it.
  absl::StatusOr<posenc::EncodingSpec> Spec() const;

  // The fields that have an option of their own, put over `spec`.
  posenc::EncodingSpec Over(posenc::EncodingSpec spec) const;

  // Whether any of the options was given.
  bool given() const;

 private:
  std::string json_;  // JSON, or @FILE
  posenc::EncodingSpec flags_;
};

}  // namespace posenc::cli

#endif  // POSENC_CLI_SPEC_OPTIONS_H_
