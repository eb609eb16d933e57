#ifndef POSENC_SERVER_TRANSPORT_SPEC_ENUMS_H_
#define POSENC_SERVER_TRANSPORT_SPEC_ENUMS_H_

// Each pair of the contract's enumerator and ours, in one place for both ways.

#include <cstddef>
#include <utility>

#include "posenc/v1/encoding.pb.h"
#include "posenc/v1/positional_encoding.pb.h"
#include "server/base/dtype.h"
#include "server/core/encoding_spec.h"
#include "server/core/positions.h"

namespace posenc::server {

template <typename Proto, typename Ours, std::size_t n>
using EnumTable = const std::pair<Proto, Ours>[n];

constexpr EnumTable<v1::EncodingKind, EncodingKind, 6> kKinds = {
    {v1::SINUSOIDAL, EncodingKind::kSinusoidal},
    {v1::LEARNED, EncodingKind::kLearned},
    {v1::SINUSOIDAL_GRID, EncodingKind::kSinusoidalGrid},
    {v1::ROTARY, EncodingKind::kRotary},
    {v1::ALIBI, EncodingKind::kAlibi},
    {v1::RELATIVE_BUCKETS, EncodingKind::kRelativeBuckets}};
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
constexpr EnumTable<v1::PaddingRows, PaddingRows, 4> kPaddings = {
    {v1::ENCODE_PADDING, PaddingRows::kEncode},
    {v1::ZERO_PADDING, PaddingRows::kZero},
    {v1::BEFORE_FIRST, PaddingRows::kBeforeFirst},
    {v1::BEFORE_OFFSET, PaddingRows::kBeforeOffset}};
constexpr EnumTable<v1::EncodingScale, EncodingScale, 3> kEncodingScales = {
    {v1::UNSCALED, EncodingScale::kUnscaled},
    {v1::INVERSE_SQRT_D_MODEL, EncodingScale::kInverseSqrtDModel},
    {v1::SQRT_TWO_OVER_D_MODEL, EncodingScale::kSqrtTwoOverDModel}};
constexpr EnumTable<v1::AnglePrecision, AnglePrecision, 3> kPrecisions = {
    {v1::EXACT_ANGLE, AnglePrecision::kExact},
    {v1::FLOAT32_EXP, AnglePrecision::kFloat32Exp},
    {v1::FLOAT32_POW, AnglePrecision::kFloat32Pow}};
constexpr EnumTable<v1::TableOverflow, TableOverflow, 3> kOverflows = {
    {v1::OVERFLOW_ERROR, TableOverflow::kError},
    {v1::CLAMP_TO_TABLE, TableOverflow::kClamp},
    {v1::ZERO_ROW, TableOverflow::kZeroRow}};
constexpr EnumTable<v1::GridAxis, GridAxis, 3> kAxes = {
    {v1::TIME, GridAxis::kTime},
    {v1::HEIGHT, GridAxis::kHeight},
    {v1::WIDTH, GridAxis::kWidth}};
constexpr EnumTable<v1::ChannelSplit, ChannelSplit, 3> kSplits = {
    {v1::EQUAL_SPLIT, ChannelSplit::kEqual},
    {v1::QUARTER_TIME, ChannelSplit::kQuarterTime},
    {v1::EVEN_CEIL, ChannelSplit::kEvenCeil}};
constexpr EnumTable<v1::ChannelBlocks, ChannelBlocks, 2> kBlocks = {
    {v1::BY_AXIS, ChannelBlocks::kByAxis},
    {v1::BY_FUNCTION, ChannelBlocks::kByFunction}};
constexpr EnumTable<v1::RotaryPairing, RotaryPairing, 2> kRotaryPairings = {
    {v1::ADJACENT, RotaryPairing::kAdjacent},
    {v1::HALVES, RotaryPairing::kHalves}};
constexpr EnumTable<v1::FrequencyRule, FrequencyRule, 8> kRules = {
    {v1::NO_RULE, FrequencyRule::kNone},
    {v1::LINEAR, FrequencyRule::kLinear},
    {v1::NTK, FrequencyRule::kNtk},
    {v1::DYNAMIC_NTK, FrequencyRule::kDynamicNtk},
    {v1::YARN, FrequencyRule::kYarn},
    {v1::LLAMA3, FrequencyRule::kLlama3},
    {v1::LONGROPE, FrequencyRule::kLongrope},
    {v1::PROPORTIONAL, FrequencyRule::kProportional}};
constexpr EnumTable<v1::BatchLayout, BatchLayout, 4> kBatchLayouts = {
    {v1::BATCH_FIRST, BatchLayout::kBatchFirst},
    {v1::SEQUENCE_FIRST, BatchLayout::kSequenceFirst},
    {v1::HEADS_SEQUENCE, BatchLayout::kHeadsSequence},
    {v1::SEQUENCE_HEADS, BatchLayout::kSequenceHeads}};
constexpr EnumTable<v1::DType, DType, 6> kDTypes = {
    {v1::FLOAT32, DType::kFloat32},   {v1::FLOAT16, DType::kFloat16},
    {v1::BFLOAT16, DType::kBFloat16}, {v1::FLOAT64, DType::kFloat64},
    {v1::INT32, DType::kInt32},       {v1::INT64, DType::kInt64}};

}  // namespace posenc::server

#endif  // POSENC_SERVER_TRANSPORT_SPEC_ENUMS_H_
