#include "server/transport/spec_codec.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/base/limits.h"
#include "server/transport/spec_enums.h"

namespace posenc::server {
namespace {

template <typename Proto, typename Ours, std::size_t n>
Proto Outward(const std::pair<Proto, Ours> (&table)[n], Ours value) {
  for (const auto& [proto, ours] : table) {
    if (ours == value) return proto;
  }
  return Proto();
}

template <typename Proto, typename Ours, std::size_t n>
absl::StatusOr<Ours> Inward(const std::pair<Proto, Ours> (&table)[n],
                            Proto value, absl::string_view field) {
  for (const auto& [proto, ours] : table) {
    if (proto == value) return ours;
  }
  return Error(absl::StatusCode::kInvalidArgument, "ENUM_VALUE",
               absl::StrCat(field, " is ", static_cast<int>(value),
                            ", which the contract does not name"));
}

// Takes an enum field over where it is present.
template <typename Proto, typename Ours, std::size_t n>
absl::Status Take(bool present, const std::pair<Proto, Ours> (&table)[n],
                  Proto value, absl::string_view field,
                  std::optional<Ours>& to) {
  if (!present) return absl::OkStatus();
  const auto ours = Inward(table, value, absl::StrCat("encoding.", field));
  if (!ours.ok()) return ours.status();
  to = *ours;
  return absl::OkStatus();
}

absl::Status TakeAxes(const google::protobuf::RepeatedField<int>& axes,
                      absl::string_view field, std::vector<GridAxis>& to) {
  for (const int axis : axes) {
    const auto ours = Inward(kAxes, static_cast<v1::GridAxis>(axis),
                             absl::StrCat("encoding.", field));
    if (!ours.ok()) return ours.status();
    to.push_back(*ours);
  }
  return absl::OkStatus();
}

absl::StatusOr<FrequencyScaling> FromProto(const v1::FrequencyScaling& proto) {
  const auto rule =
      Inward(kRules, proto.rule(), "encoding.frequency_scaling.rule");
  if (!rule.ok()) return rule.status();
  FrequencyScaling scaling{.rule = *rule};
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

v1::FrequencyScaling ToProto(const FrequencyScaling& scaling) {
  v1::FrequencyScaling proto;
  proto.set_rule(Outward(kRules, scaling.rule));
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

absl::Status TakeEnums(const v1::EncodingSpec& proto, SpecFields& fields) {
  absl::Status status;
  const auto take = [&](bool present, const auto& table, auto value,
                        absl::string_view field, auto& to) {
    status.Update(Take(present, table, value, field, to));
  };
  take(proto.has_kind(), kKinds, proto.kind(), "kind", fields.kind);
  take(proto.has_layout(), kLayouts, proto.layout(), "layout", fields.layout);
  take(proto.has_denominator(), kDenominators, proto.denominator(),
       "denominator", fields.denominator);
  take(proto.has_odd_dimension(), kOddDimensions, proto.odd_dimension(),
       "odd_dimension", fields.odd_dimension);
  take(proto.has_embedding_scale(), kScales, proto.embedding_scale(),
       "embedding_scale", fields.embedding_scale);
  take(proto.has_padding_rows(), kPaddings, proto.padding_rows(),
       "padding_rows", fields.padding_rows);
  take(proto.has_encoding_scale(), kEncodingScales, proto.encoding_scale(),
       "encoding_scale", fields.encoding_scale);
  take(proto.has_angle_precision(), kPrecisions, proto.angle_precision(),
       "angle_precision", fields.angle_precision);
  take(proto.has_table_overflow(), kOverflows, proto.table_overflow(),
       "table_overflow", fields.table_overflow);
  take(proto.has_channel_split(), kSplits, proto.channel_split(),
       "channel_split", fields.channel_split);
  take(proto.has_channel_blocks(), kBlocks, proto.channel_blocks(),
       "channel_blocks", fields.channel_blocks);
  take(proto.has_rotary_pairing(), kRotaryPairings, proto.rotary_pairing(),
       "rotary_pairing", fields.rotary_pairing);
  status.Update(TakeAxes(proto.grid_axes(), "grid_axes", fields.grid_axes));
  status.Update(
      TakeAxes(proto.channel_axes(), "channel_axes", fields.channel_axes));
  return status;
}

void FillGrid(const EncodingSpec& spec, v1::EncodingSpec& proto) {
  for (const GridAxis axis : spec.grid_axes) {
    proto.add_grid_axes(Outward(kAxes, axis));
  }
  for (const std::uint64_t size : spec.grid_sizes) {
    proto.add_grid_sizes(static_cast<std::uint32_t>(size));
  }
  proto.mutable_grid_base_sizes()->Add(spec.grid_base_sizes.begin(),
                                       spec.grid_base_sizes.end());
  proto.mutable_grid_interpolations()->Add(spec.grid_interpolations.begin(),
                                           spec.grid_interpolations.end());
  for (const GridAxis axis : spec.channel_axes) {
    proto.add_channel_axes(Outward(kAxes, axis));
  }
  proto.set_channel_split(Outward(kSplits, spec.channel_split));
  proto.set_channel_blocks(Outward(kBlocks, spec.channel_blocks));
  proto.set_class_rows(static_cast<std::uint32_t>(spec.class_rows));
  proto.set_normalize_coordinates(spec.normalize_coordinates);
}

void FillRotary(const EncodingSpec& spec, v1::EncodingSpec& proto) {
  if (spec.rotary_dimension != 0) {
    proto.set_rotary_dimension(
        static_cast<std::uint32_t>(spec.rotary_dimension));
  }
  proto.set_rotary_pairing(Outward(kRotaryPairings, spec.rotary_pairing));
  *proto.mutable_frequency_scaling() = ToProto(spec.frequency_scaling);
}

void FillBuckets(const EncodingSpec& spec, v1::EncodingSpec& proto) {
  proto.set_buckets(static_cast<std::uint32_t>(spec.buckets));
  proto.set_max_distance(static_cast<std::uint32_t>(spec.max_distance));
  proto.set_bidirectional(spec.bidirectional);
}

}  // namespace

absl::StatusOr<SpecFields> FromProto(const v1::EncodingSpec& proto) {
  SpecFields fields;
  const absl::Status status = TakeEnums(proto, fields);
  if (!status.ok()) return status;
  if (proto.has_profile()) fields.profile = proto.profile();
  if (proto.has_d_model()) fields.d_model = proto.d_model();
  if (proto.has_base()) fields.base = proto.base();
  if (proto.has_angle_scale()) fields.angle_scale = proto.angle_scale();
  if (proto.has_start()) fields.start = proto.start();
  if (proto.has_embedding_factor())
    fields.embedding_factor = proto.embedding_factor();
  if (proto.has_max_positions()) fields.max_positions = proto.max_positions();
  if (proto.has_position_table())
    fields.position_table = proto.position_table();
  if (proto.has_encoding_factor())
    fields.encoding_factor = proto.encoding_factor();
  if (proto.has_class_rows()) fields.class_rows = proto.class_rows();
  if (proto.has_normalize_coordinates())
    fields.normalize_coordinates = proto.normalize_coordinates();
  if (proto.has_rotary_dimension())
    fields.rotary_dimension = proto.rotary_dimension();
  if (proto.has_buckets()) fields.buckets = proto.buckets();
  if (proto.has_max_distance()) fields.max_distance = proto.max_distance();
  if (proto.has_bidirectional()) fields.bidirectional = proto.bidirectional();
  fields.grid_sizes.assign(proto.grid_sizes().begin(),
                           proto.grid_sizes().end());
  fields.grid_base_sizes.assign(proto.grid_base_sizes().begin(),
                                proto.grid_base_sizes().end());
  fields.grid_interpolations.assign(proto.grid_interpolations().begin(),
                                    proto.grid_interpolations().end());
  if (proto.has_frequency_scaling()) {
    auto scaling = FromProto(proto.frequency_scaling());
    if (!scaling.ok()) return scaling.status();
    fields.frequency_scaling = *std::move(scaling);
  }
  return fields;
}

absl::StatusOr<DType> FromProto(v1::DType dtype) {
  return Inward(kDTypes, dtype, "dtype");
}

absl::StatusOr<BatchLayout> FromProto(v1::BatchLayout layout) {
  if (layout == v1::BATCH_LAYOUT_UNSPECIFIED) return BatchLayout::kBatchFirst;
  return Inward(kBatchLayouts, layout, "batch_layout");
}

absl::StatusOr<TensorView> HeaderFromProto(const v1::Tensor& proto,
                                           absl::string_view what) {
  const auto dtype =
      Inward(kDTypes, proto.dtype(), absl::StrCat(what, ".dtype"));
  if (!dtype.ok()) return dtype.status();
  if (proto.shape_size() > static_cast<int>(kMaxRank)) {
    return Error(absl::StatusCode::kInvalidArgument, "RANK",
                 absl::StrCat(what, " have ", proto.shape_size(),
                              " dimensions, but at most ", kMaxRank));
  }
  return TensorView{.dtype = *dtype,
                    .shape = Shape(proto.shape().begin(), proto.shape().end()),
                    .data = {}};
}

v1::EncodingSpec ToProto(const EncodingSpec& spec) {
  v1::EncodingSpec proto;
  const auto has = [&](absl::string_view field) {
    return HasField(spec.kind, field);
  };
  proto.set_profile(spec.profile);
  if (spec.d_model != 0) {
    proto.set_d_model(static_cast<std::uint32_t>(spec.d_model));
  }
  proto.set_kind(Outward(kKinds, spec.kind));
  if (has("start")) proto.set_start(spec.start);
  if (spec.embedding_factor) {
    proto.set_embedding_factor(*spec.embedding_factor);
  } else if (has("embedding_scale")) {
    proto.set_embedding_scale(Outward(kScales, spec.embedding_scale));
  }
  if (spec.encoding_factor) {
    proto.set_encoding_factor(*spec.encoding_factor);
  } else if (has("encoding_scale")) {
    proto.set_encoding_scale(Outward(kEncodingScales, spec.encoding_scale));
  }
  if (has("padding_rows")) {
    proto.set_padding_rows(Outward(kPaddings, spec.padding_rows));
  }
  if (spec.max_positions) proto.set_max_positions(*spec.max_positions);
  if (!spec.position_table.empty()) {
    proto.set_position_table(spec.position_table);
  }
  if (has("base")) proto.set_base(spec.base);
  if (has("angle_scale")) proto.set_angle_scale(spec.angle_scale);
  if (has("layout")) proto.set_layout(Outward(kLayouts, spec.layout));
  if (has("denominator")) {
    proto.set_denominator(Outward(kDenominators, spec.denominator));
  }
  if (has("odd_dimension")) {
    proto.set_odd_dimension(Outward(kOddDimensions, spec.odd_dimension));
  }
  if (has("angle_precision")) {
    proto.set_angle_precision(Outward(kPrecisions, spec.angle_precision));
  }
  if (has("table_overflow")) {
    proto.set_table_overflow(Outward(kOverflows, spec.table_overflow));
  }
  if (spec.kind == EncodingKind::kSinusoidalGrid) FillGrid(spec, proto);
  if (spec.kind == EncodingKind::kRotary) FillRotary(spec, proto);
  if (spec.kind == EncodingKind::kRelativeBuckets) FillBuckets(spec, proto);
  return proto;
}

v1::DType ToProto(DType dtype) { return Outward(kDTypes, dtype); }

v1::BatchLayout ToProto(BatchLayout layout) {
  return Outward(kBatchLayouts, layout);
}

}  // namespace posenc::server
