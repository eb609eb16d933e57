#include "server/transport/spec_codec.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/error.h"
#include "server/base/limits.h"

namespace posenc::server {
namespace {

// Each pair of the contract's enumerator and ours, in one place for both ways.
template <typename Proto, typename Ours, std::size_t n>
using EnumTable = const std::pair<Proto, Ours>[n];

constexpr EnumTable<v1::EncodingKind, EncodingKind, 2> kKinds = {
    {v1::SINUSOIDAL, EncodingKind::kSinusoidal},
    {v1::LEARNED, EncodingKind::kLearned}};
constexpr EnumTable<v1::SinusoidLayout, SinusoidLayout, 3> kLayouts = {
    {v1::INTERLEAVED, SinusoidLayout::kInterleaved},
    {v1::SIN_COS, SinusoidLayout::kSinCos},
    {v1::COS_SIN, SinusoidLayout::kCosSin}};
constexpr EnumTable<v1::FrequencyDenominator, FrequencyDenominator, 4>
    kDenominators = {
        {v1::HALF, FrequencyDenominator::kHalf},
        {v1::HALF_FLOOR, FrequencyDenominator::kHalfFloor},
        {v1::HALF_FLOOR_MINUS_ONE, FrequencyDenominator::kHalfFloorMinusOne},
        {v1::HALF_CEIL, FrequencyDenominator::kHalfCeil}};
constexpr EnumTable<v1::OddDimension, OddDimension, 3> kOddDimensions = {
    {v1::DROP_COS, OddDimension::kDropCos},
    {v1::ZERO_LAST, OddDimension::kZeroLast},
    {v1::REJECT, OddDimension::kReject}};
constexpr EnumTable<v1::EmbeddingScale, EmbeddingScale, 3> kScales = {
    {v1::ONE, EmbeddingScale::kOne},
    {v1::SQRT_D_MODEL, EmbeddingScale::kSqrtDModel},
    {v1::SQRT_D_MODEL_FOR_TOKEN_IDS, EmbeddingScale::kSqrtDModelForTokenIds}};
constexpr EnumTable<v1::PaddingRows, PaddingRows, 2> kPaddings = {
    {v1::ENCODE_PADDING, PaddingRows::kEncode},
    {v1::ZERO_PADDING, PaddingRows::kZero}};
constexpr EnumTable<v1::BatchLayout, BatchLayout, 2> kBatchLayouts = {
    {v1::BATCH_FIRST, BatchLayout::kBatchFirst},
    {v1::SEQUENCE_FIRST, BatchLayout::kSequenceFirst}};
constexpr EnumTable<v1::DType, DType, 6> kDTypes = {
    {v1::FLOAT32, DType::kFloat32},   {v1::FLOAT16, DType::kFloat16},
    {v1::BFLOAT16, DType::kBFloat16}, {v1::FLOAT64, DType::kFloat64},
    {v1::INT32, DType::kInt32},       {v1::INT64, DType::kInt64}};

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
  const auto ours = Inward(table, value, field);
  if (!ours.ok()) return ours.status();
  to = *ours;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SpecFields> FromProto(const v1::EncodingSpec& proto) {
  SpecFields fields;
  if (proto.has_profile()) fields.profile = proto.profile();
  if (proto.has_d_model()) fields.d_model = proto.d_model();
  if (proto.has_base()) fields.base = proto.base();
  if (proto.has_angle_scale()) fields.angle_scale = proto.angle_scale();
  if (proto.has_start()) fields.start = proto.start();
  if (proto.has_embedding_factor()) {
    fields.embedding_factor = proto.embedding_factor();
  }
  if (proto.has_max_positions()) fields.max_positions = proto.max_positions();
  if (proto.has_position_table()) {
    fields.position_table = proto.position_table();
  }
  absl::Status status;
  status.Update(Take(proto.has_kind(), kKinds, proto.kind(), "encoding.kind",
                     fields.kind));
  status.Update(Take(proto.has_layout(), kLayouts, proto.layout(),
                     "encoding.layout", fields.layout));
  status.Update(Take(proto.has_denominator(), kDenominators,
                     proto.denominator(), "encoding.denominator",
                     fields.denominator));
  status.Update(Take(proto.has_odd_dimension(), kOddDimensions,
                     proto.odd_dimension(), "encoding.odd_dimension",
                     fields.odd_dimension));
  status.Update(Take(proto.has_embedding_scale(), kScales,
                     proto.embedding_scale(), "encoding.embedding_scale",
                     fields.embedding_scale));
  status.Update(Take(proto.has_padding_rows(), kPaddings, proto.padding_rows(),
                     "encoding.padding_rows", fields.padding_rows));
  if (!status.ok()) return status;
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
  proto.set_profile(spec.profile);
  proto.set_d_model(static_cast<std::uint32_t>(spec.d_model));
  proto.set_kind(Outward(kKinds, spec.kind));
  if (spec.kind == EncodingKind::kSinusoidal) {
    proto.set_base(spec.base);
    proto.set_layout(Outward(kLayouts, spec.layout));
    proto.set_denominator(Outward(kDenominators, spec.denominator));
    proto.set_odd_dimension(Outward(kOddDimensions, spec.odd_dimension));
    proto.set_angle_scale(spec.angle_scale);
  } else {
    proto.set_position_table(spec.position_table);
  }
  proto.set_start(spec.start);
  if (spec.embedding_factor) {
    proto.set_embedding_factor(*spec.embedding_factor);
  } else {
    proto.set_embedding_scale(Outward(kScales, spec.embedding_scale));
  }
  proto.set_padding_rows(Outward(kPaddings, spec.padding_rows));
  if (spec.max_positions) proto.set_max_positions(*spec.max_positions);
  return proto;
}

v1::DType ToProto(DType dtype) { return Outward(kDTypes, dtype); }

v1::BatchLayout ToProto(BatchLayout layout) {
  return Outward(kBatchLayouts, layout);
}

}  // namespace posenc::server
