#pragma once

#include <type_traits>

#include "edgewise/attention/scores/column_score.hpp"
#include "edgewise/attention/variants.hpp"

/// @file
/// What the opponents need from score and normaliser policies.
namespace edgewise::attention::reference {

/// Whether the score differs from x, the sum plus its bias: the policy hides ColumnScore's `activate`.
template <class ScorePolicy>
inline constexpr bool kHasActivation = !std::is_same_v<decltype(&ScorePolicy::template activate<float>),
                                                       decltype(&ColumnScore::template activate<float>)>;

/// Whether the gradient of x depends on the score as well as on the weight. That of a bare softmax does not.
template <class ScorePolicy, class NormaliserPolicy>
inline constexpr bool kReadsScores = kHasActivation<ScorePolicy> || !NormaliserPolicy::kSumsToOne;

/// Columns per head in queries and keys.
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

/// The factors of the columns of a head: the attention vector, or ones.
template <class ScorePolicy>
struct ColumnFactors {
  static_assert(!ScorePolicy::kHasVector || !ScorePolicy::kIsPerHead, "one number per head has no columns to multiply");

  const float* vector = nullptr;  ///< Of the head.

  static ColumnFactors of(const AttentionInputs& inputs, int head) {
    if constexpr (ScorePolicy::kHasVector) return {inputs.attention_vector.data() + head * inputs.width};
    return {};
  }
  /// x times the factor of column d, in all lanes.
  template <class Floats>
  Floats times(int d, Floats x) const {
    if constexpr (ScorePolicy::kHasVector) return x * vector[d];
    return x;
  }
  /// x times the factors of `count` columns from d on, one per lane.
  simd::Float8 times(int d, int count, simd::Float8 x) const {
    if constexpr (ScorePolicy::kHasVector)
      return x * (count == simd::kLanes ? simd::load(vector + d) : simd::load(vector + d, count));
    return x;
  }
};

}  // namespace edgewise::attention::reference
