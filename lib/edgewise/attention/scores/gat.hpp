#pragma once

#include "edgewise/attention/scores/column_score.hpp"

namespace edgewise::attention {

/// GAT (Velickovic et al. 2018, eq. 1-3). Query and key are the dot products of a projected row with the two halves of
/// the attention vector, one number per head each:
///   score[u->v, h] = LeakyReLU(query[v, h] + key[u, h] + bias[u->v, h])
struct Gat : ColumnScore {
  static constexpr Score kScore = Score::gat;
  static constexpr std::string_view kName = "gat";
  static constexpr bool kIsPerHead = true;

  float negative_slope;

  Gat(const ScoreOptions& options, int /*width*/) : negative_slope(options.negative_slope) {}

  template <class Floats>
  Floats value(Floats query, Floats key) const {
    return query + key;
  }
  template <class Floats>
  ColumnGradient<Floats> gradient(Floats query, Floats key, Floats gradient) const {
    return {gradient, gradient, gradient * (query + key)};
  }
  template <class Floats>
  Floats activate(Floats x) const {
    return x > 0.0F ? x : x * negative_slope;
  }
  /// The score has the sign of x.
  template <class Floats>
  Floats through(Floats score, Floats gradient) const {
    return score > 0.0F ? gradient : gradient * negative_slope;
  }
};

}  // namespace edgewise::attention
