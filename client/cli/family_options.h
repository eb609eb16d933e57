#ifndef POSENC_CLI_FAMILY_OPTIONS_H_
#define POSENC_CLI_FAMILY_OPTIONS_H_

#include <CLI/CLI.hpp>

#include "posenc/encoding_spec.h"

namespace posenc::cli {

// The options that only encodings of one family have: grids, rotary ones, and
// relative buckets. They set fields of `spec`, which must outlive the parse of
// `app`.
void AddFamilyOptions(CLI::App& app, posenc::EncodingSpec& spec);

}  // namespace posenc::cli

#endif  // POSENC_CLI_FAMILY_OPTIONS_H_
