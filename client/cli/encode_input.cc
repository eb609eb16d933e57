#include "client/cli/encode_input.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"
#include "client/cli/npy.h"
#include "client/cli/option_values.h"

namespace posenc::cli {
namespace {

using Sequences = std::vector<std::vector<std::int64_t>>;

constexpr Choice<posenc::DType> kInputTypes[] = {
    {"bfloat16", posenc::DType::kBFloat16}};

absl::StatusOr<Sequences> ParseSequences(const std::vector<std::string>& ids) {
  Sequences sequences;
  for (const std::string& text : ids) {
    absl::StatusOr<std::vector<std::int64_t>> sequence = ParseIntegers(text);
    if (!sequence.ok()) {
      return LocalError(absl::StrCat("--ids: ", sequence.status().message()));
    }
    sequences.push_back(*std::move(sequence));
  }
  return sequences;
}

posenc::SharedTensor Concatenate(const Sequences& sequences) {
  std::vector<std::int64_t> ids;
  for (const auto& sequence : sequences) {
    ids.insert(ids.end(), sequence.begin(), sequence.end());
  }
  const posenc::Shape shape = {ids.size()};
  return posenc::SharedTensor::FromVector(std::move(ids), shape);
}

posenc::SharedTensor Pad(const Sequences& sequences, std::size_t longest,
                         std::int64_t pad_id, posenc::BatchLayout layout) {
  const bool batch_first = layout == posenc::BatchLayout::kBatchFirst;
  const std::size_t batch = sequences.size();
  std::vector<std::int64_t> ids(batch * longest, pad_id);
  for (std::size_t i = 0; i < batch; ++i) {
    for (std::size_t j = 0; j < sequences[i].size(); ++j) {
      ids[batch_first ? i * longest + j : j * batch + i] = sequences[i][j];
    }
  }
  const posenc::Shape shape = batch_first ? posenc::Shape{batch, longest}
                                          : posenc::Shape{longest, batch};
  return posenc::SharedTensor::FromVector(std::move(ids), shape);
}

// The lengths of sequences that are not all as long as the longest.
std::optional<posenc::SharedTensor> UnequalLengths(const Sequences& sequences,
                                                   std::size_t longest) {
  std::vector<std::int64_t> lengths;
  bool unequal = false;
  for (const auto& sequence : sequences) {
    lengths.push_back(static_cast<std::int64_t>(sequence.size()));
    unequal = unequal || sequence.size() != longest;
  }
  if (!unequal) return std::nullopt;
  const posenc::Shape shape = {lengths.size()};
  return posenc::SharedTensor::FromVector(std::move(lengths), shape);
}

bool IsInteger(posenc::DType dtype) {
  return dtype == posenc::DType::kInt32 || dtype == posenc::DType::kInt64;
}

}  // namespace

void EncodeInputOptions::AddTo(CLI::App& app) {
  constexpr char kGroup[] = "Input";
  CLI::Option* const input =
      app.add_option("input", path_,
                     "Embeddings [batch, sequence, d_model] of f2, f4 or f8, "
                     "or token ids [batch, sequence] of i4 or i8")
          ->option_text("INPUT.npy")
          ->group(kGroup);
  CLI::Option* const ids =
      app.add_option("--ids", ids_,
                     "Token ids; each further --ids is a further sequence")
          ->allow_extra_args(false)
          ->type_name("101,1996,102")
          ->group(kGroup);
  input->excludes(ids);
  AddInteger(app, "--pad-id", &pad_id_,
             "Fills --ids up to the longest sequence (default 0)")
      ->group(kGroup);
  AddChoice(app, "--input-dtype", kInputTypes, &dtype_,
            "Read a .npy file of u2 as this")
      ->group(kGroup);
}

absl::StatusOr<EncodeInput> EncodeInputOptions::Read(
    const InputLayout& layout) const {
  if (!ids_.empty()) return FromIds(layout);
  if (!path_.empty()) return FromFile(layout);
  return LocalError("nothing to encode: give INPUT.npy or --ids");
}

absl::StatusOr<EncodeInput> EncodeInputOptions::FromIds(
    const InputLayout& layout) const {
  const absl::StatusOr<Sequences> sequences = ParseSequences(ids_);
  if (!sequences.ok()) return sequences.status();
  EncodeInput input;
  input.kind = posenc::EncodeParams::Input::kTokenIds;
  if (layout.packed) {
    input.tensor = Concatenate(*sequences);
    return input;
  }
  std::size_t longest = 0;
  for (const auto& sequence : *sequences) {
    longest = std::max(longest, sequence.size());
  }
  input.tensor = Pad(*sequences, longest, pad_id_.value_or(0), layout.batch);
  input.lengths = UnequalLengths(*sequences, longest);
  return input;
}

absl::StatusOr<EncodeInput> EncodeInputOptions::FromFile(
    const InputLayout& layout) const {
  absl::StatusOr<posenc::SharedTensor> tensor =
      ReadNpy(path_, dtype_ ? UInt16As::kBFloat16 : UInt16As::kRefused);
  if (!tensor.ok()) return tensor.status();
  EncodeInput input;
  input.tensor = *std::move(tensor);
  if (!IsInteger(input.tensor.dtype)) return input;
  input.kind = posenc::EncodeParams::Input::kTokenIds;
  posenc::Shape& shape = input.tensor.shape;
  if (!layout.packed && shape.size() == 1) {
    shape.insert(layout.batch == posenc::BatchLayout::kBatchFirst
                     ? shape.begin()
                     : shape.end(),
                 1);
  }
  return input;
}

}  // namespace posenc::cli
