// Every grid that a real library printed, against the true values of its
// formula: by the index of each token, or by the mask that the library was
// given.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "server/core/encodings/sinusoidal_grid.h"
#include "server/core/positions.h"
#include "tests/support/tensor_bytes.h"
#include "tests/unit/server/core/golden_file.h"

namespace posenc::server {
namespace {

using ::nlohmann::json;
using ::posenc::testing::GoldenCasesOf;
using ::posenc::testing::Numbers;

// Half an ulp just below 1, twice, since the file's values are rounded too, and
// what the arithmetic may be off.
constexpr double kBound = 0x1p-53 + 1e-15;

void ExpectRow(const std::vector<double>& row, const std::vector<double>& exact,
               std::size_t r) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    EXPECT_NEAR(row[c], exact.at(r * row.size() + c), kBound)
        << "row " << r << " channel " << c;
  }
}

using Mapping = std::function<SpecFields(const json& params)>;

void ExpectGolden(const std::string& profile, const Mapping& map) {
  for (const json& golden : GoldenCasesOf(profile)) {
    SCOPED_TRACE(golden.at("params").dump());
    SpecFields fields = map(golden.at("params"));
    fields.d_model = golden.at("params").at("d");
    const auto spec = ResolveSpec(fields, std::nullopt);
    ASSERT_TRUE(spec.ok()) << spec.status();
    const SinusoidalGrid encoding(*spec);
    const std::vector<double> exact = Numbers(golden.at("exact"));
    const std::size_t width = spec->d_model;
    ASSERT_EQ(exact.size() / width,
              static_cast<std::size_t>(encoding.range().last) + 1);
    for (std::size_t r = 0; r < exact.size() / width; ++r) {
      std::vector<double> row(width);
      ASSERT_TRUE(encoding.BuildRows(static_cast<std::int64_t>(r), row).ok());
      ExpectRow(row, exact, r);
    }
  }
}

std::vector<std::uint64_t> Sizes(const json& list) {
  return list.get<std::vector<std::uint64_t>>();
}

TEST(GoldenGrids, Diffusers2d) {
  ExpectGolden("diffusers.sincos2d", [](const json& params) {
    const double base_size = params.at("base_size");
    const double interpolation = params.at("interpolation_scale");
    return SpecFields{.profile = "diffusers-2d",
                      .grid_sizes = Sizes(params.at("grid_size_h_w")),
                      .grid_base_sizes = {base_size, base_size},
                      .grid_interpolations = {interpolation, interpolation},
                      .class_rows = params.at("extra_tokens")};
  });
}

TEST(GoldenGrids, Diffusers3d) {
  ExpectGolden("diffusers.sincos3d", [](const json& params) {
    const std::vector<std::uint64_t> plane =
        Sizes(params.at("spatial_size_w_h"));
    const double space = params.at("spatial_interpolation_scale");
    const double time = params.at("temporal_interpolation_scale");
    return SpecFields{
        .profile = "diffusers-3d",
        .grid_sizes = {params.at("temporal_size"), plane[1], plane[0]},
        .grid_interpolations = {time, space, space}};
  });
}

TEST(GoldenGrids, VitMae) {
  ExpectGolden("hf.vit_mae_sincos2d", [](const json& params) {
    const std::uint64_t size = params.at("grid_size");
    return SpecFields{.profile = "mae",
                      .grid_sizes = {size, size},
                      .class_rows = params.at("cls_row").get<bool>() ? 1 : 0};
  });
}

TEST(GoldenGrids, HuggingFaceCanonical) {
  ExpectGolden("hf.sincos2d_canonical", [](const json& params) {
    return SpecFields{.profile = "hf-2d",
                      .base = params.at("temperature"),
                      .grid_sizes = {params.at("height"), params.at("width")},
                      .class_rows = params.at("cls_token").get<bool>() ? 1 : 0};
  });
}

TEST(GoldenGrids, OmDetTurbo) {
  ExpectGolden("hf.omdet_turbo_sincos2d", [](const json& params) {
    return SpecFields{.profile = "omdet-turbo",
                      .base = params.at("temperature"),
                      .grid_sizes = {params.at("width"), params.at("height")}};
  });
}

TEST(GoldenGrids, PositionalEncodings2d) {
  ExpectGolden("positional_encodings.2d", [](const json& params) {
    return SpecFields{.profile = "positional-encodings-2d",
                      .grid_sizes = {params.at("x"), params.at("y")}};
  });
}

TEST(GoldenGrids, PositionalEncodings3d) {
  ExpectGolden("positional_encodings.3d", [](const json& params) {
    return SpecFields{
        .profile = "positional-encodings-3d",
        .grid_sizes = {params.at("x"), params.at("y"), params.at("z")}};
  });
}

TEST(GoldenGrids, Timm) {
  ExpectGolden("timm.sincos2d", [](const json& params) {
    SpecFields fields{.profile = "timm-2d",
                      .base = params.at("temperature"),
                      .grid_sizes = Sizes(params.at("feat_shape"))};
    // It flips the shape of the grid, and nothing else.
    if (params.at("reverse_coord")) {
      std::swap(fields.grid_sizes[0], fields.grid_sizes[1]);
    }
    if (params.at("interleave_sin_cos")) {
      fields.channel_blocks = ChannelBlocks::kByAxis;
    }
    return fields;
  });
}

TEST(GoldenGrids, DetrCountsThePixelsOfItsMask) {
  for (const json& golden : GoldenCasesOf("hf.detr_sine")) {
    const json& params = golden.at("params");
    SCOPED_TRACE(params.dump());
    const std::uint64_t height = params.at("height"),
                        width = params.at("width");
    const std::uint64_t features = params.at("num_position_features");
    const auto spec =
        ResolveSpec({.profile = "detr",
                     .d_model = 2 * features,
                     .base = params.at("temperature"),
                     .grid_sizes = {height, width},
                     .normalize_coordinates = params.at("normalize")},
                    std::nullopt);
    ASSERT_TRUE(spec.ok()) << spec.status();
    const SinusoidalGrid encoding(*spec);
    std::vector<std::int32_t> mask;
    for (const double value : Numbers(golden.at("input"))) {
      mask.push_back(static_cast<std::int32_t>(value));
    }
    const auto list = ResolvePositions(
        {.scheme = PositionFields::Scheme::kAttentionMask,
         .tensor = testing::View(DType::kInt32, {1, mask.size()}, mask)},
        {.batch = 1, .sequence = mask.size()}, *spec, {});
    ASSERT_TRUE(list.ok()) << list.status();
    ASSERT_TRUE(CheckRange(*list, *spec, encoding).ok());
    ASSERT_EQ(list->count(), mask.size());
    const std::vector<double> exact = Numbers(golden.at("exact"));
    for (std::size_t r = 0; r < mask.size(); ++r) {
      std::vector<double> row(spec->d_model);
      ASSERT_TRUE(encoding.BuildRowAt(list->at(r), row).ok());
      ExpectRow(row, exact, r);
    }
  }
}

}  // namespace
}  // namespace posenc::server
