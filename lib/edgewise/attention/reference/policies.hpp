#pragma once

#include <type_traits>

#include "edgewise/attention/scores/column_score.hpp"
#include "edgewise/attention/variants.hpp"

/// @file
/// What the opponents ask of the policies of a score and a normaliser.
namespace edgewise::attention::reference {

/// Whether the score is another number than x, the sum and its bias: the score hides ColumnScore's `activate`.
template <class ScorePolicy>
inline constexpr bool kHasActivation = !std::is_same_v<decltype(&ScorePolicy::template activate<float>),
                                                       decltype(&ColumnScore::template activate<float>)>;

/// Whether the gradient of x depends on the score, beside the weight. That of a softmax does not.
template <class ScorePolicy, class NormaliserPolicy>
inline constexpr bool kReadsScores = kHasActivation<ScorePolicy> || !NormaliserPolicy::kSumsToOne;

/// Columns of a head in queries and keys.
template <class ScorePolicy>
int score_width(const AttentionInputs& inputs) {
  return ScorePolicy::kIsPerHead ? 1 : inputs.width;
}

template <class ScorePolicy>
const Matrix& value_of(const AttentionInputs& inputs) {
  return ScorePolicy::kValueIsKey ? inputs.key : inputs.value;
}
template <class ScorePolicy>
Matrix& value_of(AttentionGradients& gradients) {
  return ScorePolicy::kValueIsKey ? gradients.key : gradients.value;
}

/// What multiplies column d of a head: of the attention vector, or 1.
template <class ScorePolicy>
struct ColumnFactors {
  static_assert(!ScorePolicy::kHasVector || !ScorePolicy::kIsPerHead, "one number per head has no columns to multiply");

  const float* vector = nullptr;  ///< Of the head.

  static ColumnFactors of(const AttentionInputs& inputs, int head) {
    if constexpr (ScorePolicy::kHasVector) return {inputs.attention_vector.data() + head * inputs.width};
    return {};
  }
  /// Of one column, in all lanes.
  template <class Floats>
  Floats times(int d, Floats x) const {
    if constexpr (ScorePolicy::kHasVector) return x * vector[d];
    return x;
  }
  /// Of `count` columns from d on, one in each lane.
  simd::Float8 times(int d, int count, simd::Float8 x) const {
    if constexpr (ScorePolicy::kHasVector)
      return x * (count == simd::kLanes ? simd::load(vector + d) : simd::load(vector + d, count));
    return x;
  }
};

}  // namespace edgewise::attention::reference
