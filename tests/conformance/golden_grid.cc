// Golden cases of sinusoids over grids.

#include <algorithm>

#include "tests/conformance/golden_mappings.h"

namespace posenc::testing {
namespace {

using nlohmann::json;

// All rows of a grid.
GoldenRequest WholeGrid(GoldenParams& params, EncodingSpec encoding,
                        std::uint64_t d_model) {
  GoldenRequest request = Asking(params, std::move(encoding), d_model);
  request.row_count = request.encoding.class_rows.value_or(0);
  std::uint64_t rows = 1;
  for (const std::uint32_t size : request.encoding.grid_sizes) rows *= size;
  request.row_count += rows;
  return request;
}

std::uint32_t Size(GoldenParams& params, const char* name) {
  return params.At(name).get<std::uint32_t>();
}

GoldenRequest Diffusers2D(GoldenParams& params) {
  const std::vector<std::uint32_t> sizes = params.At("grid_size_h_w");
  const double base_size = params.At("base_size");
  const double interpolation = params.At("interpolation_scale");
  return WholeGrid(params,
                   {.profile = "diffusers-2d",
                    .grid_sizes = sizes,
                    .grid_base_sizes = {base_size, base_size},
                    .grid_interpolations = {interpolation, interpolation},
                    .class_rows = params.At("extra_tokens")},
                   params.At("d"));
}

GoldenRequest Diffusers3D(GoldenParams& params) {
  const std::vector<std::uint32_t> spatial = params.At("spatial_size_w_h");
  const double in_space = params.At("spatial_interpolation_scale");
  return WholeGrid(
      params,
      {.profile = "diffusers-3d",
       .grid_sizes = {Size(params, "temporal_size"), spatial[1], spatial[0]},
       .grid_interpolations = {params.At("temporal_interpolation_scale"),
                               in_space, in_space}},
      params.At("d"));
}

GoldenRequest Mae(GoldenParams& params) {
  const std::uint32_t size = Size(params, "grid_size");
  const bool class_row = params.At("cls_row");
  return WholeGrid(params,
                   {.profile = "mae",
                    .grid_sizes = {size, size},
                    .class_rows = class_row ? 1 : 0},
                   params.At("d"));
}

GoldenRequest Canonical2D(GoldenParams& params) {
  const bool class_row = params.At("cls_token");
  return WholeGrid(
      params,
      {.profile = "hf-2d",
       .base = params.At("temperature").get<double>(),
       .grid_sizes = {Size(params, "height"), Size(params, "width")},
       .class_rows = class_row ? 1 : 0},
      params.At("d"));
}

GoldenRequest OmDetTurbo(GoldenParams& params) {
  return WholeGrid(
      params,
      {.profile = "omdet-turbo",
       .base = params.At("temperature").get<double>(),
       .grid_sizes = {Size(params, "width"), Size(params, "height")}},
      params.At("d"));
}

// From a mask, for embeddings that are zeros.
GoldenRequest Detr(GoldenParams& params) {
  const std::uint32_t height = Size(params, "height");
  const std::uint32_t width = Size(params, "width");
  const std::uint64_t d_model = 2 * Size(params, "num_position_features");
  params.Ignore("raw_shape");
  GoldenRequest request =
      Asking(params,
             {.profile = "detr",
              .base = params.At("temperature").get<double>(),
              .grid_sizes = {height, width},
              .normalize_coordinates = params.At("normalize").get<bool>()},
             d_model);
  for (const double value : Flatten(params.golden().at("input"))) {
    request.mask.push_back(static_cast<std::int64_t>(value));
  }
  const std::uint64_t tokens = std::uint64_t{height} * width;
  request.mask_shape = {1, tokens};
  request.shape = {1, tokens, d_model};
  request.embeddings.resize(tokens * d_model);
  return request;
}

GoldenRequest PositionalEncodings2D(GoldenParams& params) {
  params.Ignore("per_axis");
  return WholeGrid(params,
                   {.profile = "positional-encodings-2d",
                    .grid_sizes = {Size(params, "x"), Size(params, "y")}},
                   params.At("d"));
}

GoldenRequest PositionalEncodings3D(GoldenParams& params) {
  params.Ignore("per_axis");
  return WholeGrid(
      params,
      {.profile = "positional-encodings-3d",
       .grid_sizes = {Size(params, "x"), Size(params, "y"), Size(params, "z")}},
      params.At("d"));
}

// reverse_coord turns the grid's shape around before its axes are named.
GoldenRequest Timm(GoldenParams& params) {
  std::vector<std::uint32_t> sizes = params.At("feat_shape");
  if (params.At("reverse_coord").get<bool>()) {
    std::reverse(sizes.begin(), sizes.end());
  }
  const bool by_axis = params.At("interleave_sin_cos");
  return WholeGrid(params,
                   {.profile = "timm-2d",
                    .base = params.At("temperature").get<double>(),
                    .grid_sizes = sizes,
                    .channel_blocks = by_axis ? ChannelBlocks::kByAxis
                                              : ChannelBlocks::kByFunction},
                   params.At("d"));
}

}  // namespace

GoldenMap GridMappings() {
  return {{"diffusers.sincos2d", Diffusers2D},
          {"diffusers.sincos3d", Diffusers3D},
          {"hf.vit_mae_sincos2d", Mae},
          {"hf.sincos2d_canonical", Canonical2D},
          {"hf.omdet_turbo_sincos2d", OmDetTurbo},
          {"hf.detr_sine", Detr},
          {"positional_encodings.2d", PositionalEncodings2D},
          {"positional_encodings.3d", PositionalEncodings3D},
          {"timm.sincos2d", Timm}};
}

}  // namespace posenc::testing
