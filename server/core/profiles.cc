#include <string>
#include <utility>
#include <vector>

#include "server/core/encoding_spec.h"

namespace posenc::server {
namespace {

Profile Named(absl::string_view name, EncodingSpec spec) {
  spec.profile = std::string(name);
  return {name, std::move(spec)};
}

}  // namespace

// Each profile equals what the named library computes, in exact arithmetic. To
// add one, add an entry here and its golden cases in tests/golden/.
const std::vector<Profile>& Profiles() {
  using Denominator = FrequencyDenominator;
  using Layout = SinusoidLayout;
  using Odd = OddDimension;
  using Scale = EmbeddingScale;
  static const auto& profiles = *new std::vector<Profile>{
      // Hugging Face's CTRLModel, which scales embeddings whoever made them.
      Named("ctrl",
            {.layout = Layout::kSinCos, .embedding_scale = Scale::kSqrtDModel}),
      // diffusers' SinusoidalPositionalEmbedding.
      Named("diffusers", {.odd_dimension = Odd::kReject}),
      // Hugging Face's DistilBERT with sinusoidal_pos_embds.
      Named("distilbert", {}),
      // fairseq's SinusoidalPositionalEmbedding with padding_idx 1: positions
      // count from padding_idx + 1, padding gets a zero row.
      Named("fairseq", {.layout = Layout::kSinCos,
                        .denominator = Denominator::kHalfFloorMinusOne,
                        .odd_dimension = Odd::kZeroLast,
                        .start = 2,
                        .embedding_scale = Scale::kSqrtDModelForTokenIds,
                        .padding_rows = PaddingRows::kZero}),
      // An embedding table as position table (BERT; with start 2, BART).
      Named("learned", {.kind = EncodingKind::kLearned}),
      // M2M100SinusoidalPositionalEmbedding with padding_idx 1, and
      // Speech2Text's.
      Named("m2m100", {.layout = Layout::kSinCos,
                       .denominator = Denominator::kHalfFloorMinusOne,
                       .odd_dimension = Odd::kZeroLast,
                       .start = 2,
                       .embedding_scale = Scale::kSqrtDModelForTokenIds,
                       .padding_rows = PaddingRows::kZero}),
      // Hugging Face's MarianSinusoidalPositionalEmbedding.
      Named("marian", {.layout = Layout::kSinCos,
                       .embedding_scale = Scale::kSqrtDModelForTokenIds}),
      // MusicgenSinusoidalPositionalEmbedding.
      Named("musicgen", {.layout = Layout::kCosSin,
                         .denominator = Denominator::kHalfFloorMinusOne,
                         .odd_dimension = Odd::kZeroLast}),
      // PositionalEncoding1D of the package positional-encodings.
      Named("positional-encodings-1d", {.denominator = Denominator::kHalfCeil}),
      // PyTorch's tutorial module (language translation, nn.Transformer).
      Named("pytorch", {.odd_dimension = Odd::kReject,
                        .embedding_scale = Scale::kSqrtDModelForTokenIds}),
      // tensor2tensor's get_timing_signal_1d.
      Named("tensor2tensor",
            {.layout = Layout::kSinCos,
             .denominator = Denominator::kHalfFloorMinusOne,
             .odd_dimension = Odd::kZeroLast,
             .embedding_scale = Scale::kSqrtDModelForTokenIds}),
      // TorchLingo's SinusoidalPositionalEncoding; the √d_model is in its
      // SimpleTransformer, before the module.
      Named("torchlingo", {.embedding_scale = Scale::kSqrtDModelForTokenIds}),
      // Whisper's encoder, whose embeddings come from convolutions.
      Named("whisper", {.layout = Layout::kSinCos,
                        .denominator = Denominator::kHalfFloorMinusOne,
                        .odd_dimension = Odd::kReject}),
      // XGLMSinusoidalPositionalEmbedding, which takes no heed of padding.
      Named("xglm", {.layout = Layout::kSinCos,
                     .denominator = Denominator::kHalfFloorMinusOne,
                     .odd_dimension = Odd::kZeroLast,
                     .start = 2,
                     .embedding_scale = Scale::kSqrtDModelForTokenIds}),
      // Hugging Face's XLM with sinusoidal_embeddings.
      Named("xlm", {}),
  };
  return profiles;
}

}  // namespace posenc::server
