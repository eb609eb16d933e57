#include "server/core/encodings/sinusoidal_grid.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/kernels/kernels.h"

namespace posenc::server {
namespace {

// Channels of an axis, those that the end of the row cuts off among them.
std::size_t ChannelsOf(const EncodingSpec& spec, GridAxis axis) {
  const std::size_t axes = spec.grid_axes.size();
  switch (spec.channel_split) {
    case ChannelSplit::kEqual:
      return spec.d_model / axes;
    case ChannelSplit::kQuarterTime:
      return axis == GridAxis::kTime ? spec.d_model / 4 : spec.d_model / 8 * 3;
    case ChannelSplit::kEvenCeil:
      return 2 * ((spec.d_model + 2 * axes - 1) / (2 * axes));
  }
  return 0;
}

// How many of n elements `stride` apart come before the end of a row.
std::size_t Within(std::size_t first, std::size_t stride, std::size_t n,
                   std::size_t width) {
  if (first >= width) return 0;
  return std::min(n, (width - first + stride - 1) / stride);
}

std::string HexBits(double value) {
  return absl::StrCat(absl::Hex(std::bit_cast<std::uint64_t>(value)));
}

}  // namespace

std::vector<SinusoidalGrid::Block> SinusoidalGrid::BlocksOf(
    const EncodingSpec& spec) {
  std::vector<Block> blocks(spec.grid_axes.size());
  std::size_t before = 0;  // channels of the axes before
  for (const GridAxis axis : spec.channel_axes) {
    Block& block = blocks[static_cast<std::size_t>(
        std::find(spec.grid_axes.begin(), spec.grid_axes.end(), axis) -
        spec.grid_axes.begin())];
    block.channels = ChannelsOf(spec, axis);
    const std::size_t half = block.channels / 2;
    const bool by_axis = spec.channel_blocks == ChannelBlocks::kByAxis;
    const std::size_t first = by_axis ? before : before / 2;
    const std::size_t second = first + (by_axis ? half : spec.d_model / 2);
    switch (spec.layout) {
      case SinusoidLayout::kInterleaved:
        block.first_sine = first;
        block.first_cosine = first + 1;
        block.stride = 2;
        break;
      case SinusoidLayout::kSinCos:
        block.first_sine = first;
        block.first_cosine = second;
        break;
      case SinusoidLayout::kCosSin:
        block.first_cosine = first;
        block.first_sine = second;
        break;
    }
    block.sines = Within(block.first_sine, block.stride, half, spec.d_model);
    block.cosines =
        Within(block.first_cosine, block.stride, half, spec.d_model);
    before += block.channels;
  }
  return blocks;
}

std::string SinusoidalGrid::Key(const EncodingSpec& spec) {
  std::string key = absl::StrCat(
      "grid d=", spec.d_model, " class=", spec.class_rows,
      " base=", HexBits(spec.base), " scale=", HexBits(spec.angle_scale),
      " start=", spec.start, " normalized=", spec.normalize_coordinates);
  const std::vector<Block> blocks = BlocksOf(spec);
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    const Block& block = blocks[a];
    const DoubleDouble step = AxisCoordinates(spec, a).step();
    absl::StrAppend(&key, " axis=", spec.grid_sizes[a], "*", HexBits(step.hi),
                    "+", HexBits(step.lo), " channels=", block.channels,
                    " sin=", block.sines, "@", block.first_sine,
                    " cos=", block.cosines, "@", block.first_cosine, "/",
                    block.stride);
  }
  return key;
}

SinusoidalGrid::SinusoidalGrid(const EncodingSpec& spec)
    : width_(spec.d_model),
      class_rows_(spec.class_rows),
      grid_rows_(GridRows(spec)) {
  const std::vector<Block> blocks = BlocksOf(spec);
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    axes_.push_back({spec.grid_sizes[a], blocks[a], AxisCoordinates(spec, a),
                     MakeFrequencies(spec.angle_scale, spec.base,
                                     static_cast<double>(blocks[a].channels),
                                     blocks[a].frequencies())});
  }
  for (const GridAxis axis : spec.channel_axes) {
    channel_order_.push_back(static_cast<std::size_t>(
        std::find(spec.grid_axes.begin(), spec.grid_axes.end(), axis) -
        spec.grid_axes.begin()));
  }
}

PositionRange SinusoidalGrid::range() const {
  return {0, static_cast<std::int64_t>(class_rows_ + grid_rows_) - 1};
}

std::uint64_t SinusoidalGrid::bytes() const {
  std::uint64_t frequencies = 0;
  for (const Axis& axis : axes_) frequencies += axis.block.frequencies();
  return sizeof(*this) + axes_.size() * sizeof(Axis) +
         frequencies * (sizeof(double) + sizeof(DoubleDouble));
}

std::vector<double> SinusoidalGrid::Frequencies() const {
  std::vector<double> all;
  for (const std::size_t a : channel_order_) {
    const std::vector<double>& radians = axes_[a].frequencies.radians;
    all.insert(all.end(), radians.begin(), radians.end());
  }
  return all;
}

// Makes rows one after another, and keeps the channels of each axis for the
// next row, whose index along it is mostly the same.
class SinusoidalGrid::Walk {
 public:
  explicit Walk(const SinusoidalGrid& encoding)
      : encoding_(encoding),
        sin_cos_(ActiveKernels().sin_cos_of_turns),
        row_(encoding.width_),
        at_(encoding.axes_.size(), kNowhere) {
    std::size_t most = 0;
    for (const Axis& axis : encoding.axes_) {
      most = std::max(most, axis.block.frequencies());
    }
    sin_.resize(most);
    cos_.resize(most);
  }

  // The row of a position within the range.
  absl::Status MoveTo(std::uint64_t position) {
    std::uint64_t rest = position - encoding_.class_rows_;
    for (std::size_t a = encoding_.axes_.size(); a-- > 0;) {
      const std::uint64_t size = encoding_.axes_[a].size;
      const std::uint64_t index = rest % size;
      rest /= size;
      if (index == at_[a]) continue;
      const absl::Status status =
          Fill(a, static_cast<double>(index), static_cast<double>(size - 1));
      if (!status.ok()) return status;
      at_[a] = index;
    }
    return absl::OkStatus();
  }

  // Fills in the channels of an axis at an index along it.
  absl::Status Fill(std::size_t axis, double index, double last) {
    const Axis& of = encoding_.axes_[axis];
    const auto coordinate = of.coordinates.At(index, last);
    if (!coordinate.ok()) return coordinate.status();
    const std::vector<DoubleDouble>& turns = of.frequencies.turns;
    sin_cos_(*coordinate, turns.data(), sin_.data(), cos_.data(), turns.size());
    const Block& block = of.block;
    for (std::size_t i = 0; i < block.sines; ++i) {
      row_[block.first_sine + i * block.stride] = sin_[i];
    }
    for (std::size_t i = 0; i < block.cosines; ++i) {
      row_[block.first_cosine + i * block.stride] = cos_[i];
    }
    return absl::OkStatus();
  }

  const std::vector<double>& row() const { return row_; }

 private:
  static constexpr auto kNowhere = std::numeric_limits<std::uint64_t>::max();

  const SinusoidalGrid& encoding_;
  const SinCosFunction sin_cos_;
  std::vector<double> row_;
  std::vector<std::uint64_t> at_;  // the index along each axis
  std::vector<double> sin_, cos_;  // of one axis
};

absl::Status SinusoidalGrid::BuildRows(std::int64_t first,
                                       std::span<double> rows) const {
  const auto first_of_grid = static_cast<std::int64_t>(class_rows_);
  Walk walk(*this);
  for (; !rows.empty(); rows = rows.subspan(width_), ++first) {
    if (first < first_of_grid || first > range().last) {
      std::fill_n(rows.begin(), width_, 0.0);
      continue;
    }
    const absl::Status status = walk.MoveTo(static_cast<std::uint64_t>(first));
    if (!status.ok()) return status;
    std::copy(walk.row().begin(), walk.row().end(), rows.begin());
  }
  return absl::OkStatus();
}

absl::Status SinusoidalGrid::BuildRow(double position,
                                      std::span<double>) const {
  return Invalid("FRACTIONAL_POSITION",
                 absl::StrCat("position ", position,
                              " is not an integer, but the tokens of a "
                              "SINUSOIDAL_GRID encoding are counted"));
}

absl::Status SinusoidalGrid::BuildRowAt(std::span<const double> coordinates,
                                        std::span<double> row) const {
  const std::size_t axes = axes_.size();
  if (coordinates.size() != 2 * axes) {
    return Invalid(
        "POSITIONS_SHAPE",
        absl::StrCat("a token of a grid of ", axes, " axes has ",
                     coordinates.size(), " numbers, but must have ", 2 * axes));
  }
  Walk walk(*this);
  for (std::size_t a = 0; a < axes; ++a) {
    const absl::Status status =
        walk.Fill(a, coordinates[a], coordinates[axes + a]);
    if (!status.ok()) return status;
  }
  std::copy(walk.row().begin(), walk.row().end(), row.begin());
  return absl::OkStatus();
}

}  // namespace posenc::server
