#pragma once

#include <cmath>

#include "edgewise/attention/scores/column_score.hpp"

namespace edgewise::attention {

/// Scaled dot product (Vaswani et al. 2017, eq. 1; with `scale` false, Luong et al. 2015, eq. 8, "dot"):
///   score[u->v, h] = query[v, h] . key[u, h] / sqrt(width) + bias[u->v, h]
struct DotProduct : ColumnScore {
  static constexpr Score kScore = Score::dot_product;
  static constexpr std::string_view kName = "dot_product";

  DotProduct(const ScoreOptions& options, int width) {
    if (options.scale) scale = 1.0F / std::sqrt(static_cast<float>(width));
  }

  template <class Floats>
  Floats value(Floats query, Floats key) const {
    return query * key;
  }
  template <class Floats>
  ColumnGradient<Floats> gradient(Floats query, Floats key, Floats gradient) const {
    return {gradient * key, gradient * query, gradient * (query * key)};
  }
};

}  // namespace edgewise::attention
