#include "client/src/spec_codec.h"

namespace posenc {

v1::EncodingSpec ToProto(const EncodingSpec& spec) {
  v1::EncodingSpec proto;
  if (spec.profile) proto.set_profile(*spec.profile);
  if (spec.d_model) proto.set_d_model(*spec.d_model);
  if (spec.kind) proto.set_kind(static_cast<v1::EncodingKind>(*spec.kind));
  if (spec.base) proto.set_base(*spec.base);
  if (spec.layout)
    proto.set_layout(static_cast<v1::SinusoidLayout>(*spec.layout));
  if (spec.denominator)
    proto.set_denominator(
        static_cast<v1::FrequencyDenominator>(*spec.denominator));
  if (spec.odd_dimension)
    proto.set_odd_dimension(static_cast<v1::OddDimension>(*spec.odd_dimension));
  if (spec.start) proto.set_start(*spec.start);
  if (spec.embedding_scale)
    proto.set_embedding_scale(
        static_cast<v1::EmbeddingScale>(*spec.embedding_scale));
  if (spec.embedding_factor) proto.set_embedding_factor(*spec.embedding_factor);
  if (spec.padding_rows)
    proto.set_padding_rows(static_cast<v1::PaddingRows>(*spec.padding_rows));
  if (spec.max_positions) proto.set_max_positions(*spec.max_positions);
  if (spec.position_table) proto.set_position_table(*spec.position_table);
  if (spec.angle_scale) proto.set_angle_scale(*spec.angle_scale);
  return proto;
}

EncodingSpec FromProto(const v1::EncodingSpec& proto) {
  EncodingSpec spec;
  if (proto.has_profile()) spec.profile = proto.profile();
  if (proto.has_d_model()) spec.d_model = proto.d_model();
  if (proto.has_kind()) spec.kind = static_cast<EncodingKind>(proto.kind());
  if (proto.has_base()) spec.base = proto.base();
  if (proto.has_layout())
    spec.layout = static_cast<SinusoidLayout>(proto.layout());
  if (proto.has_denominator())
    spec.denominator = static_cast<FrequencyDenominator>(proto.denominator());
  if (proto.has_odd_dimension())
    spec.odd_dimension = static_cast<OddDimension>(proto.odd_dimension());
  if (proto.has_start()) spec.start = proto.start();
  if (proto.has_embedding_scale())
    spec.embedding_scale = static_cast<EmbeddingScale>(proto.embedding_scale());
  if (proto.has_embedding_factor())
    spec.embedding_factor = proto.embedding_factor();
  if (proto.has_padding_rows())
    spec.padding_rows = static_cast<PaddingRows>(proto.padding_rows());
  if (proto.has_max_positions()) spec.max_positions = proto.max_positions();
  if (proto.has_position_table()) spec.position_table = proto.position_table();
  if (proto.has_angle_scale()) spec.angle_scale = proto.angle_scale();
  return spec;
}

}  // namespace posenc
