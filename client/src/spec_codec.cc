#include "client/src/spec_codec.h"

namespace posenc {
namespace {

v1::FrequencyScaling ToProto(const FrequencyScaling& scaling) {
  v1::FrequencyScaling proto;
  proto.set_rule(static_cast<v1::FrequencyRule>(scaling.rule));
  if (scaling.factor) proto.set_factor(*scaling.factor);
  if (scaling.original_context)
    proto.set_original_context(*scaling.original_context);
  if (scaling.context_length) proto.set_context_length(*scaling.context_length);
  if (scaling.beta_fast) proto.set_beta_fast(*scaling.beta_fast);
  if (scaling.beta_slow) proto.set_beta_slow(*scaling.beta_slow);
  if (scaling.truncate) proto.set_truncate(*scaling.truncate);
  if (scaling.mscale) proto.set_mscale(*scaling.mscale);
  if (scaling.mscale_all_dim) proto.set_mscale_all_dim(*scaling.mscale_all_dim);
  if (scaling.attention_factor)
    proto.set_attention_factor(*scaling.attention_factor);
  if (scaling.low_frequency_factor)
    proto.set_low_frequency_factor(*scaling.low_frequency_factor);
  if (scaling.high_frequency_factor)
    proto.set_high_frequency_factor(*scaling.high_frequency_factor);
  proto.mutable_short_factors()->Add(scaling.short_factors.begin(),
                                     scaling.short_factors.end());
  proto.mutable_long_factors()->Add(scaling.long_factors.begin(),
                                    scaling.long_factors.end());
  return proto;
}

FrequencyScaling FromProto(const v1::FrequencyScaling& proto) {
  FrequencyScaling scaling;
  scaling.rule = static_cast<FrequencyRule>(proto.rule());
  if (proto.has_factor()) scaling.factor = proto.factor();
  if (proto.has_original_context())
    scaling.original_context = proto.original_context();
  if (proto.has_context_length())
    scaling.context_length = proto.context_length();
  if (proto.has_beta_fast()) scaling.beta_fast = proto.beta_fast();
  if (proto.has_beta_slow()) scaling.beta_slow = proto.beta_slow();
  if (proto.has_truncate()) scaling.truncate = proto.truncate();
  if (proto.has_mscale()) scaling.mscale = proto.mscale();
  if (proto.has_mscale_all_dim())
    scaling.mscale_all_dim = proto.mscale_all_dim();
  if (proto.has_attention_factor())
    scaling.attention_factor = proto.attention_factor();
  if (proto.has_low_frequency_factor())
    scaling.low_frequency_factor = proto.low_frequency_factor();
  if (proto.has_high_frequency_factor())
    scaling.high_frequency_factor = proto.high_frequency_factor();
  scaling.short_factors.assign(proto.short_factors().begin(),
                               proto.short_factors().end());
  scaling.long_factors.assign(proto.long_factors().begin(),
                              proto.long_factors().end());
  return scaling;
}

void FillLists(const EncodingSpec& spec, v1::EncodingSpec& proto) {
  for (const GridAxis axis : spec.grid_axes) {
    proto.add_grid_axes(static_cast<v1::GridAxis>(axis));
  }
  for (const GridAxis axis : spec.channel_axes) {
    proto.add_channel_axes(static_cast<v1::GridAxis>(axis));
  }
  proto.mutable_grid_sizes()->Add(spec.grid_sizes.begin(),
                                  spec.grid_sizes.end());
  proto.mutable_grid_base_sizes()->Add(spec.grid_base_sizes.begin(),
                                       spec.grid_base_sizes.end());
  proto.mutable_grid_interpolations()->Add(spec.grid_interpolations.begin(),
                                           spec.grid_interpolations.end());
}

void FillLists(const v1::EncodingSpec& proto, EncodingSpec& spec) {
  for (const int axis : proto.grid_axes()) {
    spec.grid_axes.push_back(static_cast<GridAxis>(axis));
  }
  for (const int axis : proto.channel_axes()) {
    spec.channel_axes.push_back(static_cast<GridAxis>(axis));
  }
  spec.grid_sizes.assign(proto.grid_sizes().begin(), proto.grid_sizes().end());
  spec.grid_base_sizes.assign(proto.grid_base_sizes().begin(),
                              proto.grid_base_sizes().end());
  spec.grid_interpolations.assign(proto.grid_interpolations().begin(),
                                  proto.grid_interpolations().end());
}

}  // namespace

v1::EncodingSpec ToProto(const EncodingSpec& spec) {
  v1::EncodingSpec proto;
  if (spec.profile) proto.set_profile(*spec.profile);
  if (spec.d_model) proto.set_d_model(*spec.d_model);
  if (spec.base) proto.set_base(*spec.base);
  if (spec.start) proto.set_start(*spec.start);
  if (spec.embedding_factor) proto.set_embedding_factor(*spec.embedding_factor);
  if (spec.max_positions) proto.set_max_positions(*spec.max_positions);
  if (spec.position_table) proto.set_position_table(*spec.position_table);
  if (spec.angle_scale) proto.set_angle_scale(*spec.angle_scale);
  if (spec.encoding_factor) proto.set_encoding_factor(*spec.encoding_factor);
  if (spec.class_rows) proto.set_class_rows(*spec.class_rows);
  if (spec.normalize_coordinates)
    proto.set_normalize_coordinates(*spec.normalize_coordinates);
  if (spec.rotary_dimension) proto.set_rotary_dimension(*spec.rotary_dimension);
  if (spec.buckets) proto.set_buckets(*spec.buckets);
  if (spec.max_distance) proto.set_max_distance(*spec.max_distance);
  if (spec.bidirectional) proto.set_bidirectional(*spec.bidirectional);
  if (spec.kind) {
    proto.set_kind(static_cast<v1::EncodingKind>(*spec.kind));
  }
  if (spec.layout) {
    proto.set_layout(static_cast<v1::SinusoidLayout>(*spec.layout));
  }
  if (spec.denominator) {
    proto.set_denominator(
        static_cast<v1::FrequencyDenominator>(*spec.denominator));
  }
  if (spec.odd_dimension) {
    proto.set_odd_dimension(static_cast<v1::OddDimension>(*spec.odd_dimension));
  }
  if (spec.embedding_scale) {
    proto.set_embedding_scale(
        static_cast<v1::EmbeddingScale>(*spec.embedding_scale));
  }
  if (spec.padding_rows) {
    proto.set_padding_rows(static_cast<v1::PaddingRows>(*spec.padding_rows));
  }
  if (spec.encoding_scale) {
    proto.set_encoding_scale(
        static_cast<v1::EncodingScale>(*spec.encoding_scale));
  }
  if (spec.angle_precision) {
    proto.set_angle_precision(
        static_cast<v1::AnglePrecision>(*spec.angle_precision));
  }
  if (spec.table_overflow) {
    proto.set_table_overflow(
        static_cast<v1::TableOverflow>(*spec.table_overflow));
  }
  if (spec.channel_split) {
    proto.set_channel_split(static_cast<v1::ChannelSplit>(*spec.channel_split));
  }
  if (spec.channel_blocks) {
    proto.set_channel_blocks(
        static_cast<v1::ChannelBlocks>(*spec.channel_blocks));
  }
  if (spec.rotary_pairing) {
    proto.set_rotary_pairing(
        static_cast<v1::RotaryPairing>(*spec.rotary_pairing));
  }
  if (spec.frequency_scaling) {
    *proto.mutable_frequency_scaling() = ToProto(*spec.frequency_scaling);
  }
  FillLists(spec, proto);
  return proto;
}

EncodingSpec FromProto(const v1::EncodingSpec& proto) {
  EncodingSpec spec;
  if (proto.has_profile()) spec.profile = proto.profile();
  if (proto.has_d_model()) spec.d_model = proto.d_model();
  if (proto.has_base()) spec.base = proto.base();
  if (proto.has_start()) spec.start = proto.start();
  if (proto.has_embedding_factor())
    spec.embedding_factor = proto.embedding_factor();
  if (proto.has_max_positions()) spec.max_positions = proto.max_positions();
  if (proto.has_position_table()) spec.position_table = proto.position_table();
  if (proto.has_angle_scale()) spec.angle_scale = proto.angle_scale();
  if (proto.has_encoding_factor())
    spec.encoding_factor = proto.encoding_factor();
  if (proto.has_class_rows()) spec.class_rows = proto.class_rows();
  if (proto.has_normalize_coordinates())
    spec.normalize_coordinates = proto.normalize_coordinates();
  if (proto.has_rotary_dimension())
    spec.rotary_dimension = proto.rotary_dimension();
  if (proto.has_buckets()) spec.buckets = proto.buckets();
  if (proto.has_max_distance()) spec.max_distance = proto.max_distance();
  if (proto.has_bidirectional()) spec.bidirectional = proto.bidirectional();
  if (proto.has_kind()) {
    spec.kind = static_cast<EncodingKind>(proto.kind());
  }
  if (proto.has_layout()) {
    spec.layout = static_cast<SinusoidLayout>(proto.layout());
  }
  if (proto.has_denominator()) {
    spec.denominator = static_cast<FrequencyDenominator>(proto.denominator());
  }
  if (proto.has_odd_dimension()) {
    spec.odd_dimension = static_cast<OddDimension>(proto.odd_dimension());
  }
  if (proto.has_embedding_scale()) {
    spec.embedding_scale = static_cast<EmbeddingScale>(proto.embedding_scale());
  }
  if (proto.has_padding_rows()) {
    spec.padding_rows = static_cast<PaddingRows>(proto.padding_rows());
  }
  if (proto.has_encoding_scale()) {
    spec.encoding_scale = static_cast<EncodingScale>(proto.encoding_scale());
  }
  if (proto.has_angle_precision()) {
    spec.angle_precision = static_cast<AnglePrecision>(proto.angle_precision());
  }
  if (proto.has_table_overflow()) {
    spec.table_overflow = static_cast<TableOverflow>(proto.table_overflow());
  }
  if (proto.has_channel_split()) {
    spec.channel_split = static_cast<ChannelSplit>(proto.channel_split());
  }
  if (proto.has_channel_blocks()) {
    spec.channel_blocks = static_cast<ChannelBlocks>(proto.channel_blocks());
  }
  if (proto.has_rotary_pairing()) {
    spec.rotary_pairing = static_cast<RotaryPairing>(proto.rotary_pairing());
  }
  if (proto.has_frequency_scaling()) {
    spec.frequency_scaling = FromProto(proto.frequency_scaling());
  }
  FillLists(proto, spec);
  return spec;
}

}  // namespace posenc
