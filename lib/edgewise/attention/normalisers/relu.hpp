#pragma once

#include "edgewise/attention/normalisers/row_statistics.hpp"

namespace edgewise::attention {

/// weight[u->v] = max(score[u->v], 0) / the number of edges of v      (Wortsman et al. 2023, section 3)
struct Relu {
  static constexpr Normaliser kNormaliser = Normaliser::relu;
  static constexpr std::string_view kName = "relu";
  static constexpr bool kSumsToOne = false;
  /// Whether a weight depends on more than its score.
  static constexpr bool kUsesStatistics = true;

  template <class Floats>
  static Floats weight(Floats score, const RowStatistics<Floats>& of) {
    return (score < 0.0F ? Floats{} : score) * of.row;  // NaN stays NaN
  }
  template <class Floats>
  static Floats gradient(Floats score, Floats /*weight*/, Floats gradient, const RowStatistics<Floats>& of) {
    return score > 0.0F ? gradient * of.row : Floats{};
  }
};

}  // namespace edgewise::attention
