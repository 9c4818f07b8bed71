#pragma once

#include "edgewise/attention/scores/column_score.hpp"

namespace edgewise::attention {

/// GATv2 (Brody et al. 2022, eq. 7):
///   score[u->v, h] = attention_vector[h] . LeakyReLU(query[v, h] + key[u, h])
struct Gatv2 : ColumnScore {
  static constexpr Score kScore = Score::gatv2;
  static constexpr std::string_view kName = "gatv2";
  static constexpr bool kHasVector = true;
  static constexpr bool kValueIsKey = true;

  float negative_slope;

  Gatv2(const ScoreOptions& options, int /*width*/) : negative_slope(options.negative_slope) {}

  template <class Floats>
  Floats value(Floats query, Floats key) const {
    const Floats x = query + key;
    return x > 0.0F ? x : x * negative_slope;
  }
  /// LeakyReLU(x) is x times its derivative.
  template <class Floats>
  ColumnGradient<Floats> gradient(Floats query, Floats key, Floats gradient) const {
    const Floats x = query + key;
    const Floats through = x > 0.0F ? gradient : gradient * negative_slope;
    return {through, through, through * x};
  }
};

}  // namespace edgewise::attention
