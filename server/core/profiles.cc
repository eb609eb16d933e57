#include <vector>

#include "server/core/encoding_spec.h"

namespace posenc::server {

// Each profile equals what the named library computes, in exact arithmetic. To
// add one, add an entry here and its golden cases in tests/golden/.
const std::vector<Profile>& Profiles() {
  using Denominator = FrequencyDenominator;
  using Scale = EmbeddingScale;
  static const auto& profiles = *new std::vector<Profile>{
      // fairseq's SinusoidalPositionalEmbedding with padding_idx 1: positions
      // count from padding_idx + 1, padding gets a zero row.
      {"fairseq",
       {.profile = "fairseq",
        .layout = SinusoidLayout::kSinCos,
        .denominator = Denominator::kHalfFloorMinusOne,
        .odd_dimension = OddDimension::kZeroLast,
        .start = 2,
        .embedding_scale = Scale::kSqrtDModelForTokenIds,
        .padding_rows = PaddingRows::kZero}},
      // An embedding table as position table (BERT; with start 2, BART).
      {"learned", {.profile = "learned", .kind = EncodingKind::kLearned}},
      // Hugging Face's MarianSinusoidalPositionalEmbedding.
      {"marian",
       {.profile = "marian",
        .layout = SinusoidLayout::kSinCos,
        .embedding_scale = Scale::kSqrtDModelForTokenIds}},
      // PyTorch's tutorial module (language translation, nn.Transformer).
      {"pytorch",
       {.profile = "pytorch",
        .odd_dimension = OddDimension::kReject,
        .embedding_scale = Scale::kSqrtDModelForTokenIds}},
      // tensor2tensor's get_timing_signal_1d.
      {"tensor2tensor",
       {.profile = "tensor2tensor",
        .layout = SinusoidLayout::kSinCos,
        .denominator = Denominator::kHalfFloorMinusOne,
        .odd_dimension = OddDimension::kZeroLast,
        .embedding_scale = Scale::kSqrtDModelForTokenIds}},
      // TorchLingo's SinusoidalPositionalEncoding; the √d_model is in its
      // SimpleTransformer, before the module.
      {"torchlingo",
       {.profile = "torchlingo",
        .embedding_scale = Scale::kSqrtDModelForTokenIds}},
  };
  return profiles;
}

}  // namespace posenc::server
