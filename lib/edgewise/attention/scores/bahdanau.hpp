#pragma once

#include "edgewise/attention/scores/column_score.hpp"

namespace edgewise::attention {

/// Additive attention (Bahdanau et al. 2015, appendix A.1.2), v . tanh(W q + U k) with both projections already made:
///   score[u->v, h] = attention_vector[h] . tanh(query[v, h] + key[u, h])
struct Bahdanau : ColumnScore {
  static constexpr Score kScore = Score::bahdanau;
  static constexpr std::string_view kName = "bahdanau";
  static constexpr bool kHasVector = true;

  Bahdanau(const ScoreOptions& /*options*/, int /*width*/) {}

  template <class Floats>
  Floats value(Floats query, Floats key) const {
    return simd::tanh(query + key);
  }
  template <class Floats>
  ColumnGradient<Floats> gradient(Floats query, Floats key, Floats gradient) const {
    const Floats t = simd::tanh(query + key);
    const Floats through = gradient * (1.0F - t * t);
    return {through, through, gradient * t};
  }
};

}  // namespace edgewise::attention
