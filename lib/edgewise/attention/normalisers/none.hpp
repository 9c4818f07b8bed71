#pragma once

#include "edgewise/attention/normalisers/row_statistics.hpp"

namespace edgewise::attention {

/// weight[u->v] = score[u->v]: linear attention without a normaliser.
struct None {
  static constexpr Normaliser kNormaliser = Normaliser::none;
  static constexpr std::string_view kName = "none";
  static constexpr bool kSumsToOne = false;
  /// Whether a weight depends on more than its score.
  static constexpr bool kUsesStatistics = false;

  template <class Floats>
  static Floats weight(Floats score, const RowStatistics<Floats>& /*of*/) {
    return score;
  }
  template <class Floats>
  static Floats gradient(Floats /*score*/, Floats /*weight*/, Floats gradient, const RowStatistics<Floats>& /*of*/) {
    return gradient;
  }
};

}  // namespace edgewise::attention
