#pragma once

#include <cmath>
#include <functional>

#include "edgewise/graph/frozen_graph.hpp"

/// The obvious, slow way in double: what the fused kernels must equal.
namespace edgewise::test {

using MatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct NaiveAttention {
  MatrixXd output;   ///< [destinations, heads * width]
  MatrixXd weights;  ///< [slots, heads]
};

/// `score(source, destination, slot, head)`, `value(source, slot, column)`.
inline NaiveAttention naive_attention(
    const graph::FrozenGraph& mask, int heads, int width,
    const std::function<double(graph::Node, graph::Node, graph::EdgeIndex, int)>& score,
    const std::function<double(graph::Node, graph::EdgeIndex, int)>& value) {
  NaiveAttention result{MatrixXd::Zero(static_cast<Eigen::Index>(mask.destination_count()), heads * width),
                        MatrixXd::Zero(static_cast<Eigen::Index>(mask.slot_count()), heads)};
  for (graph::Node v = 0; v < mask.destination_count(); ++v)
    for (int h = 0; h < heads; ++h) {
      const auto begin = mask.incoming.offsets[v], end = mask.incoming.offsets[v + 1];
      double maximum = -INFINITY, sum = 0;
      for (auto k = begin; k < end; ++k) maximum = std::max(maximum, score(mask.incoming.columns[k], v, k, h));
      for (auto k = begin; k < end; ++k) sum += std::exp(score(mask.incoming.columns[k], v, k, h) - maximum);
      for (auto k = begin; k < end; ++k) {
        const graph::Node u = mask.incoming.columns[k];
        const double weight = std::exp(score(u, v, k, h) - maximum) / sum;
        result.weights(static_cast<Eigen::Index>(k), h) = weight;
        for (int d = h * width; d < (h + 1) * width; ++d) result.output(v, d) += weight * value(u, k, d);
      }
    }
  return result;
}

}  // namespace edgewise::test
