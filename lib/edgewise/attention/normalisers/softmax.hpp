#pragma once

#include "edgewise/attention/normalisers/row_statistics.hpp"

namespace edgewise::attention {

/// weight[u->v] = exp(score[u->v]) / sum over the edges of v of exp(score)      (Vaswani et al. 2017, eq. 1)
struct Softmax {
  static constexpr Normaliser kNormaliser = Normaliser::softmax;
  static constexpr std::string_view kName = "softmax";
  /// Whether the weights of a row sum to 1.
  static constexpr bool kSumsToOne = true;
  /// Whether a weight depends on more than its score.
  static constexpr bool kUsesStatistics = true;

  template <class Floats>
  static Floats weight(Floats score, const RowStatistics<Floats>& of) {
    return simd::exp(score - of.row);
  }
  /// The gradient of the score, from that of the weight.
  template <class Floats>
  static Floats gradient(Floats /*score*/, Floats weight, Floats gradient, const RowStatistics<Floats>& of) {
    return weight * (gradient - of.delta);
  }
};

}  // namespace edgewise::attention
