#include "server/core/encodings/sinusoidal_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "server/base/error.h"
#include "server/base/limits.h"
#include "tests/support/true_values.h"

namespace posenc::server {
namespace {

using ::posenc::testing::Distance;
using ::posenc::testing::HalfUlpOfFloat64;
using ::posenc::testing::kArithmeticError;
using ::posenc::testing::TrueCoordinate;
using ::posenc::testing::TrueCos;
using ::posenc::testing::TrueSin;
using ::posenc::testing::TrueValue;
using ::testing::HasSubstr;

constexpr auto kTimeAxis = GridAxis::kTime;
constexpr auto kHeightAxis = GridAxis::kHeight;
constexpr auto kWidthAxis = GridAxis::kWidth;

EncodingSpec ResolvedGrid(SpecFields fields) {
  fields.kind = EncodingKind::kSinusoidalGrid;
  const auto spec = ResolveSpec(fields, std::nullopt);
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? *spec : EncodingSpec{};
}

std::vector<double> GridRow(const Encoding& encoding, std::int64_t position) {
  std::vector<double> row(encoding.width(), -9);
  EXPECT_TRUE(encoding.BuildRows(position, row).ok());
  return row;
}

std::size_t AxisOf(const EncodingSpec& spec, GridAxis axis) {
  std::size_t a = 0;
  while (spec.grid_axes[a] != axis) ++a;
  return a;
}

// Channels of an axis as the contract splits them.
std::size_t ChannelsOfAxis(const EncodingSpec& spec, GridAxis axis) {
  const std::size_t axes = spec.grid_axes.size();
  if (spec.channel_split == ChannelSplit::kEqual) return spec.d_model / axes;
  if (spec.channel_split == ChannelSplit::kQuarterTime) {
    return axis == kTimeAxis ? spec.d_model / 4 : spec.d_model * 3 / 8;
  }
  return 2 *
         static_cast<std::size_t>(std::ceil(static_cast<double>(spec.d_model) /
                                            static_cast<double>(2 * axes)));
}

// The row of a token with these indices (in the order of grid_axes), channel by
// channel as the contract says.
std::vector<TrueValue> TrueGridRow(const EncodingSpec& spec,
                                   const std::vector<double>& indices,
                                   const std::vector<double>& lasts) {
  std::vector<TrueValue> row, sines, cosines;
  for (const GridAxis axis : spec.channel_axes) {
    const std::size_t a = AxisOf(spec, axis);
    const TrueCoordinate place{.start = static_cast<double>(spec.start),
                               .index = indices[a],
                               .base_size = spec.grid_base_sizes[a],
                               .size = static_cast<double>(spec.grid_sizes[a]),
                               .interpolation = spec.grid_interpolations[a],
                               .normalized = spec.normalize_coordinates,
                               .last = lasts[a]};
    const std::size_t channels = ChannelsOfAxis(spec, axis);
    std::vector<TrueValue> sin, cos, block;
    for (std::size_t i = 0; i < channels / 2; ++i) {
      const auto twice = static_cast<double>(channels);
      sin.push_back(TrueSin(place, spec.base, i, twice, spec.angle_scale));
      cos.push_back(TrueCos(place, spec.base, i, twice, spec.angle_scale));
    }
    sines.insert(sines.end(), sin.begin(), sin.end());
    cosines.insert(cosines.end(), cos.begin(), cos.end());
    if (spec.layout == SinusoidLayout::kInterleaved) {
      for (std::size_t i = 0; i < sin.size(); ++i) {
        row.insert(row.end(), {sin[i], cos[i]});
      }
    } else {
      const bool sin_first = spec.layout == SinusoidLayout::kSinCos;
      const auto& first = sin_first ? sin : cos;
      const auto& second = sin_first ? cos : sin;
      row.insert(row.end(), first.begin(), first.end());
      row.insert(row.end(), second.begin(), second.end());
    }
  }
  if (spec.channel_blocks == ChannelBlocks::kByFunction) {
    const bool sin_first = spec.layout == SinusoidLayout::kSinCos;
    row = sin_first ? sines : cosines;
    const auto& second = sin_first ? cosines : sines;
    row.insert(row.end(), second.begin(), second.end());
  }
  row.resize(spec.d_model);
  return row;
}

void ExpectNearRow(const std::vector<double>& row,
                   const std::vector<TrueValue>& truth,
                   const std::string& what) {
  ASSERT_EQ(row.size(), truth.size());
  for (std::size_t c = 0; c < row.size(); ++c) {
    EXPECT_LE(Distance(row[c], truth[c]),
              HalfUlpOfFloat64(truth[c].hi) + kArithmeticError)
        << what << " channel " << c;
  }
}

void ExpectExactGrid(const SpecFields& fields) {
  const EncodingSpec spec = ResolvedGrid(fields);
  const SinusoidalGrid encoding(spec);
  std::vector<double> lasts;
  for (const std::uint64_t size : spec.grid_sizes) {
    lasts.push_back(static_cast<double>(size - 1));
  }
  const std::uint64_t rows = GridRows(spec);
  const std::uint64_t step = std::max<std::uint64_t>(1, rows / 37);
  for (std::uint64_t token = 0; token < rows; token += step) {
    std::vector<double> indices(spec.grid_sizes.size());
    std::uint64_t rest = token;
    for (std::size_t a = indices.size(); a-- > 0;) {
      indices[a] = static_cast<double>(rest % spec.grid_sizes[a]);
      rest /= spec.grid_sizes[a];
    }
    ExpectNearRow(
        GridRow(encoding, static_cast<std::int64_t>(token + spec.class_rows)),
        TrueGridRow(spec, indices, lasts), "token " + std::to_string(token));
  }
}

const std::vector<GridAxis> kPlane = {kHeightAxis, kWidthAxis};
const std::vector<GridAxis> kSpace = {kTimeAxis, kHeightAxis, kWidthAxis};

TEST(SinusoidalGrid, EveryLayoutOfAPlaneIsExact) {
  using Layout = SinusoidLayout;
  for (const auto layout :
       {Layout::kInterleaved, Layout::kSinCos, Layout::kCosSin}) {
    for (const auto& channel_axes :
         {kPlane, std::vector<GridAxis>{kWidthAxis, kHeightAxis}}) {
      ExpectExactGrid({.d_model = 24,
                       .layout = layout,
                       .grid_sizes = {5, 7},
                       .channel_axes = channel_axes});
    }
    for (const std::uint64_t d : {1, 2, 3, 5, 6, 7, 10, 11}) {
      ExpectExactGrid({.d_model = d,
                       .layout = layout,
                       .grid_sizes = {3, 4},
                       .channel_split = ChannelSplit::kEvenCeil});
      ExpectExactGrid({.d_model = d,
                       .layout = layout,
                       .grid_axes = kSpace,
                       .grid_sizes = {2, 3, 4},
                       .channel_axes = {kWidthAxis, kTimeAxis, kHeightAxis},
                       .channel_split = ChannelSplit::kEvenCeil});
    }
  }
}

TEST(SinusoidalGrid, SinesOfAllAxesMayComeFirst) {
  for (const auto layout : {SinusoidLayout::kSinCos, SinusoidLayout::kCosSin}) {
    ExpectExactGrid({.d_model = 36,
                     .layout = layout,
                     .grid_axes = kSpace,
                     .grid_sizes = {2, 3, 4},
                     .channel_axes = {kHeightAxis, kTimeAxis, kWidthAxis},
                     .channel_blocks = ChannelBlocks::kByFunction});
  }
}

TEST(SinusoidalGrid, AThreeDimensionalOneMayGiveTimeAQuarter) {
  ExpectExactGrid({.d_model = 48,
                   .layout = SinusoidLayout::kSinCos,
                   .grid_axes = kSpace,
                   .grid_sizes = {4, 3, 5},
                   .channel_axes = {kTimeAxis, kWidthAxis, kHeightAxis},
                   .channel_split = ChannelSplit::kQuarterTime});
}

TEST(SinusoidalGrid, ALineIsASinusoidal) {
  ExpectExactGrid({.d_model = 8,
                   .start = -3,
                   .grid_axes = {kWidthAxis},
                   .grid_sizes = {300},
                   .channel_axes = {kWidthAxis}});
}

// i * base_size / (size * interpolation) is no double, and times a frequency
// of 1e6 any rounding of it would be seen.
TEST(SinusoidalGrid, FractionalCoordinatesKeepThePromise) {
  for (const double base : {1e4, 1e-6, 20.0}) {
    ExpectExactGrid({.d_model = 16,
                     .base = base,
                     .start = 999999999,
                     .grid_sizes = {30, 70},
                     .grid_base_sizes = {16.3, 1e6},
                     .grid_interpolations = {1.7, 0.3}});
    ExpectExactGrid({.d_model = 16,
                     .base = base,
                     .start = -1000000000,
                     .angle_scale = base < 1 ? 0.1 : 3.3,
                     .grid_sizes = {3, 65536},
                     .grid_base_sizes = {1e-6, 64},
                     .grid_interpolations = {1e6, 1e-3}});
  }
}

TEST(SinusoidalGrid, NormalizedCoordinatesKeepThePromise) {
  for (const double base : {1e4, 1e-6, 20.0}) {
    for (const std::int64_t start : {0, 1, -7, 1000000000}) {
      ExpectExactGrid({.d_model = 16,
                       .base = base,
                       .start = start,
                       .grid_sizes = {1, 41},
                       .grid_base_sizes = {3, 41.5},
                       .grid_interpolations = {0.7, 1.3},
                       .normalize_coordinates = true});
    }
  }
}

TEST(SinusoidalGrid, CoordinatesMayBeGivenInstead) {
  for (const bool normalized : {false, true}) {
    const EncodingSpec spec =
        ResolvedGrid({.d_model = 24,
                      .start = 1,
                      .grid_sizes = {6, 9},
                      .class_rows = 1,
                      .normalize_coordinates = normalized});
    const SinusoidalGrid encoding(spec);
    for (const std::vector<double>& numbers :
         {std::vector<double>{2, -1, 3, -1}, {-1, 4, 5, 7}, {0, 0, 0, 0}}) {
      std::vector<double> row(24, -9);
      ASSERT_TRUE(encoding.BuildRowAt(numbers, row).ok());
      ExpectNearRow(
          row,
          TrueGridRow(spec, {numbers[0], numbers[1]}, {numbers[2], numbers[3]}),
          normalized ? "normalized" : "plain");
    }
    std::vector<double> row(24);
    ASSERT_TRUE(encoding.BuildRowAt(std::vector<double>{5, 8, 5, 8}, row).ok());
    EXPECT_EQ(row, GridRow(encoding, 54));
  }
}

TEST(SinusoidalGrid, ClassRowsAndRowsOutsideAreZeros) {
  const EncodingSpec spec =
      ResolvedGrid({.d_model = 8, .grid_sizes = {2, 3}, .class_rows = 2});
  const SinusoidalGrid encoding(spec);
  EXPECT_EQ(encoding.range().first, 0);
  EXPECT_EQ(encoding.range().last, 7);
  const std::vector<double> zeros(8);
  for (const std::int64_t position : {-1, 0, 1, 8}) {
    EXPECT_EQ(GridRow(encoding, position), zeros) << position;
  }
  EXPECT_EQ(GridRow(encoding, 2),
            (std::vector<double>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(GridRow(encoding, kMaxPosition), zeros);
}

TEST(SinusoidalGrid, ARowDoesNotDependOnTheOnesBefore) {
  const SinusoidalGrid encoding(ResolvedGrid({.d_model = 20,
                                              .grid_sizes = {17, 33},
                                              .grid_base_sizes = {16, 16},
                                              .class_rows = 3}));
  std::vector<double> together(600 * 20);
  ASSERT_TRUE(encoding.BuildRows(-10, together).ok());
  for (std::size_t r = 0; r < 600; r += 7) {
    const std::vector<double> alone =
        GridRow(encoding, static_cast<std::int64_t>(r) - 10);
    EXPECT_EQ(std::memcmp(alone.data(), together.data() + r * 20,
                          20 * sizeof(double)),
              0)
        << r;
  }
}

TEST(SinusoidalGrid, HoldsLittleHoweverLargeTheGrid) {
  const SinusoidalGrid encoding(
      ResolvedGrid({.d_model = 64, .grid_sizes = {32768, 65536}}));
  EXPECT_EQ(encoding.range().last, (std::int64_t{1} << 31) - 1);
  EXPECT_LT(encoding.bytes(), 4 * kKiB);
  EXPECT_NE(GridRow(encoding, encoding.range().last), std::vector<double>(64));
}

TEST(SinusoidalGrid, FrequenciesComeAxisAfterAxis) {
  const SinusoidalGrid encoding(
      ResolvedGrid({.d_model = 32,
                    .angle_scale = 0.5,
                    .grid_axes = kSpace,
                    .grid_sizes = {2, 2, 2},
                    .channel_axes = {kWidthAxis, kTimeAxis, kHeightAxis},
                    .channel_split = ChannelSplit::kQuarterTime}));
  const std::vector<double> frequencies = encoding.Frequencies();
  ASSERT_EQ(frequencies.size(), 16u);
  for (const std::size_t first : {0, 6, 10}) {
    EXPECT_EQ(frequencies[first], 0.5);
  }
  EXPECT_DOUBLE_EQ(frequencies[1], 0.5 * std::pow(1e4, -2.0 / 12));
  EXPECT_DOUBLE_EQ(frequencies[7], 0.5 * std::pow(1e4, -2.0 / 8));
}

TEST(SinusoidalGrid, ItsKeyHoldsWhatDecidesTheValues) {
  const SpecFields fields{
      .d_model = 8, .layout = SinusoidLayout::kSinCos, .grid_sizes = {4, 6}};
  const std::string key = SinusoidalGrid::Key(ResolvedGrid(fields));
  const auto key_with = [&](auto change) {
    SpecFields changed = fields;
    change(changed);
    return SinusoidalGrid::Key(ResolvedGrid(changed));
  };
  // The same grid in other words.
  EXPECT_EQ(key_with([](SpecFields& f) {
              f.profile = "mae", f.class_rows = 0, f.channel_axes = kPlane;
            }),
            key);
  EXPECT_EQ(key_with([](SpecFields& f) {
              f.grid_base_sizes = {8, 12};
              f.grid_interpolations = {2, 2};
            }),
            key);
  EXPECT_EQ(key_with([](SpecFields& f) {
              f.grid_axes = {kWidthAxis, kHeightAxis};
              f.channel_axes = {kWidthAxis, kHeightAxis};
            }),
            key);
  const auto expect_other = [&](auto change) {
    EXPECT_NE(key_with(change), key);
  };
  expect_other([](SpecFields& f) { f.d_model = 12; });
  expect_other([](SpecFields& f) { f.base = 20; });
  expect_other([](SpecFields& f) { f.start = 1; });
  expect_other([](SpecFields& f) { f.angle_scale = 2; });
  expect_other([](SpecFields& f) { f.grid_sizes = {6, 4}; });
  expect_other([](SpecFields& f) { f.grid_base_sizes = {4, 7}; });
  expect_other([](SpecFields& f) { f.grid_interpolations = {1, 3}; });
  expect_other([](SpecFields& f) { f.class_rows = 1; });
  expect_other([](SpecFields& f) { f.normalize_coordinates = true; });
  expect_other([](SpecFields& f) { f.layout = SinusoidLayout::kCosSin; });
  expect_other([](SpecFields& f) {
    f.channel_axes = {kWidthAxis, kHeightAxis};
  });
  expect_other(
      [](SpecFields& f) { f.channel_blocks = ChannelBlocks::kByFunction; });
}

TEST(SinusoidalGrid, FractionsHaveNoRow) {
  const SinusoidalGrid encoding(
      ResolvedGrid({.d_model = 8, .grid_sizes = {2, 2}}));
  std::vector<double> row(8);
  const absl::Status status = encoding.BuildRow(1.5, row);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(status), "FRACTIONAL_POSITION");
  EXPECT_THAT(std::string(status.message()), HasSubstr("position 1.5"));
}

// --- Coordinates that there are none of --------------------------------------

void ExpectNoCoordinate(const SpecFields& fields, const std::string& message) {
  SpecFields grid = fields;
  grid.kind = EncodingKind::kSinusoidalGrid;
  grid.d_model = 8;
  const auto spec = ResolveSpec(grid, std::nullopt);
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(spec.status()), "GRID_COORDINATE_OUT_OF_BOUNDS");
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr(message));
}

TEST(GridCoordinates, RefusesThoseBeyondTheBound) {
  ExpectNoCoordinate({.grid_sizes = {2, 3},
                      .grid_base_sizes = {2, 1e6},
                      .grid_interpolations = {1, 1e-6}},
                     "the coordinate of index 2 of an axis is 6.66667e+11, but "
                     "must be within ±2e+09");
}

TEST(GridCoordinates, RefusesToDivideByNothing) {
  // -1 + 0.999999 + 1e-6 is 0, or as good as.
  ExpectNoCoordinate({.start = -1,
                      .grid_sizes = {1, 2},
                      .grid_base_sizes = {1, 1.999998},
                      .normalize_coordinates = true},
                     "must be at least 1e-07 from 0");
}

TEST(GridCoordinates, RefusesThemForMasksToo) {
  const SinusoidalGrid encoding(ResolvedGrid({.d_model = 8,
                                              .start = -1,
                                              .grid_sizes = {1, 4},
                                              .grid_base_sizes = {1, 1.999998},
                                              .normalize_coordinates = true}));
  std::vector<double> row(8);
  const std::vector<double> good = {0, 3, 0, 3}, bad = {0, 2, 0, 2};
  EXPECT_TRUE(encoding.BuildRowAt(good, row).ok());
  EXPECT_EQ(ReasonOf(encoding.BuildRowAt(bad, row)),
            "GRID_COORDINATE_OUT_OF_BOUNDS");
}

}  // namespace
}  // namespace posenc::server
