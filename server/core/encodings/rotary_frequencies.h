#ifndef POSENC_SERVER_CORE_ENCODINGS_ROTARY_FREQUENCIES_H_
#define POSENC_SERVER_CORE_ENCODINGS_ROTARY_FREQUENCIES_H_

#include <string>

#include "server/core/encoding_spec.h"
#include "server/core/encodings/exact_angle.h"

namespace posenc::server {

// The frequencies of a ROTARY spec's pairs, angle_scale included, stretched as
// its frequency_scaling says: position interpolation (Chen et al. 2023), NTK
// and dynamic NTK, YaRN (Peng et al. 2023), Llama 3.1, LongRoPE (Ding et al.
// 2024), and Gemma's proportional form; all as in Hugging Face's
// modeling_rope_utils, in exact arithmetic.
Frequencies RotaryFrequencies(const EncodingSpec& spec);

// What the rule multiplies sines and cosines by, rounded to nearest.
double RotaryAttentionFactor(const EncodingSpec& spec);

// What decides both, apart from base, angle_scale and the dimensions; empty
// where the rule leaves the frequencies as they are.
std::string FrequencyRuleKey(const EncodingSpec& spec);

}  // namespace posenc::server

#endif  // POSENC_SERVER_CORE_ENCODINGS_ROTARY_FREQUENCIES_H_
