#pragma once

#include <cmath>

#include "edgewise/attention/variants.hpp"

/// What all variants need of their inputs.
namespace edgewise::attention::detail {

inline bool is_value_the_key(Score score) { return score == Score::gatv2; }
inline const Matrix& value_of(const AttentionInputs& inputs) {
  return is_value_the_key(inputs.score) ? inputs.key : inputs.value;
}
inline Matrix& value_of(AttentionGradients& gradients, Score score) {
  return is_value_the_key(score) ? gradients.key : gradients.value;
}
inline int columns_of(const AttentionInputs& inputs) { return inputs.heads * inputs.width; }
inline float dot_product_scale(const AttentionInputs& inputs) {
  return 1.0F / std::sqrt(static_cast<float>(inputs.width));
}
/// LeakyReLU'(x); LeakyReLU(x) is x times it.
inline float leaky_relu_slope(float x, float negative_slope) { return x > 0.0F ? 1.0F : negative_slope; }

}  // namespace edgewise::attention::detail
