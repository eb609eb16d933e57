#include "client/cli/positions_options.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/elements.h"
#include "client/cli/exit_code.h"
#include "client/cli/npy.h"
#include "client/cli/option_values.h"

namespace posenc::cli {
namespace {

template <typename T>
posenc::SharedTensor Vector(std::vector<T> values) {
  const posenc::Shape shape = {values.size()};
  return posenc::SharedTensor::FromVector(std::move(values), shape);
}

bool IsFile(const std::string& value) {
  return absl::EndsWith(value, ".npy") || absl::StrContains(value, "/");
}

absl::Status Named(const std::string& option, const absl::Status& status) {
  return LocalError(absl::StrCat(option, ": ", status.message(),
                                 "; it takes numbers or a .npy file"));
}

absl::StatusOr<posenc::SharedTensor> ReadLengths(const std::string& option,
                                                 const std::string& value) {
  if (IsFile(value)) return ReadNpy(value);
  absl::StatusOr<std::vector<std::int64_t>> lengths = ParseIntegers(value);
  if (!lengths.ok()) return Named(option, lengths.status());
  return Vector(*std::move(lengths));
}

absl::Status ReadInto(std::optional<posenc::SharedTensor>& target,
                      absl::StatusOr<posenc::SharedTensor> tensor) {
  if (!tensor.ok()) return tensor.status();
  target = *std::move(tensor);
  return absl::OkStatus();
}

std::optional<posenc::TensorView> OptionalView(
    const std::optional<posenc::SharedTensor>& tensor) {
  if (!tensor.has_value()) return std::nullopt;
  return ViewOf(*tensor);
}

}  // namespace

posenc::Positions PositionArrays::View() const {
  posenc::Positions positions;
  positions.offset = offset;
  positions.values = OptionalView(values);
  positions.padded_lengths = OptionalView(padded_lengths);
  positions.packed_lengths = OptionalView(packed_lengths);
  positions.attention_mask = OptionalView(attention_mask);
  positions.padding_id = padding_id;
  positions.stride = stride;
  return positions;
}

absl::StatusOr<posenc::SharedTensor> ReadPositions(const std::string& option,
                                                   const std::string& value) {
  if (IsFile(value)) return ReadNpy(value);
  if (auto integers = ParseIntegers(value); integers.ok()) {
    return Vector(*std::move(integers));
  }
  absl::StatusOr<std::vector<double>> numbers = ParseNumbers(value);
  if (!numbers.ok()) return Named(option, numbers.status());
  return Vector(*std::move(numbers));
}

void PositionsOptions::AddTo(CLI::App& app) {
  constexpr char kGroup[] = "Positions";
  CLI::Option* const offset =
      AddInteger(app, "--offset", &offset_,
                 "Position of the first token of each sequence")
          ->group(kGroup);
  CLI::Option* const positions =
      app.add_option("--positions", positions_, "A position for each token")
          ->type_name("0,1,2.5|FILE.npy")
          ->group(kGroup);
  CLI::Option* const lengths =
      app.add_option("--lengths", lengths_,
                     "Padded batch: the tokens of each sequence")
          ->type_name("12,16,22|FILE.npy")
          ->group(kGroup);
  CLI::Option* const packed =
      app.add_option("--packed", packed_,
                     "Packed batch without padding: the tokens of each "
                     "sequence; the input has one dimension less")
          ->type_name("12,16,22|FILE.npy")
          ->group(kGroup);
  CLI::Option* const mask =
      app.add_option("--mask", mask_,
                     "Padded batch: 1 for a token, 0 for padding")
          ->type_name("FILE.npy")
          ->group(kGroup);
  CLI::Option* const padding =
      AddInteger(app, "--padding-id", &padding_id_,
                 "Padded batch of token ids: the id of padding")
          ->group(kGroup);
  CLI::Option* const stride =
      AddNumber(app, "--stride", &stride_, "Distance of neighbours (default 1)")
          ->group(kGroup);
  positions->excludes(offset);
  const std::vector<CLI::Option*> schemes = {positions, lengths, packed,
                                             mask,      padding, stride};
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) schemes[i]->excludes(schemes[j]);
  }
}

absl::StatusOr<PositionArrays> PositionsOptions::Read() const {
  PositionArrays arrays;
  arrays.offset = offset_;
  arrays.padding_id = padding_id_;
  arrays.stride = stride_;
  absl::Status status;
  if (!positions_.empty()) {
    status.Update(
        ReadInto(arrays.values, ReadPositions("--positions", positions_)));
  }
  if (!lengths_.empty()) {
    status.Update(
        ReadInto(arrays.padded_lengths, ReadLengths("--lengths", lengths_)));
  }
  if (!packed_.empty()) {
    status.Update(
        ReadInto(arrays.packed_lengths, ReadLengths("--packed", packed_)));
  }
  if (!mask_.empty()) {
    status.Update(ReadInto(arrays.attention_mask, ReadNpy(mask_)));
  }
  if (!status.ok()) return status;
  return arrays;
}

}  // namespace posenc::cli
