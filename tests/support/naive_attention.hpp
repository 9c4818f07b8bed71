#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "edgewise/attention/options.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// A simple, slow implementation in double, which the fused kernels must equal.
namespace edgewise::test {

using MatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct NaiveAttention {
  MatrixXd output;   ///< [destinations, heads * width]
  MatrixXd weights;  ///< [slots, heads]
};

/// The weights of a row, and the gradients of its scores given those of its weights.
struct NaiveRow {
  attention::Normaliser normaliser = attention::Normaliser::softmax;

  std::vector<double> weights(const std::vector<double>& scores) const {
    std::vector<double> weights = scores;
    double maximum = -INFINITY, sum = 0;
    for (const double score : scores) maximum = std::max(maximum, score);
    for (const double score : scores) sum += std::exp(score - maximum);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (normaliser == attention::Normaliser::softmax) weights[i] = std::exp(scores[i] - maximum) / sum;
      if (normaliser == attention::Normaliser::relu)
        weights[i] = std::max(scores[i], 0.0) / static_cast<double>(scores.size());
    }
    return weights;
  }

  std::vector<double> score_gradients(const std::vector<double>& scores, const std::vector<double>& gradients) const {
    if (normaliser == attention::Normaliser::none) return gradients;
    std::vector<double> out = gradients;
    const std::vector<double> weights = this->weights(scores);
    double mean = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) mean += weights[i] * gradients[i];
    for (std::size_t i = 0; i < scores.size(); ++i)
      out[i] = normaliser == attention::Normaliser::softmax ? weights[i] * (gradients[i] - mean)
               : scores[i] > 0                              ? gradients[i] / static_cast<double>(scores.size())
                                                            : 0;
    return out;
  }
};

/// `score(source, destination, slot, head)`, `value(source, slot, column)`.
inline NaiveAttention naive_attention(
    const graph::FrozenGraph& mask, int heads, int width,
    const std::function<double(graph::Node, graph::Node, graph::EdgeIndex, int)>& score,
    const std::function<double(graph::Node, graph::EdgeIndex, int)>& value, NaiveRow row = {}) {
  NaiveAttention result{MatrixXd::Zero(static_cast<Eigen::Index>(mask.destination_count()), heads * width),
                        MatrixXd::Zero(static_cast<Eigen::Index>(mask.slot_count()), heads)};
  for (graph::Node v = 0; v < mask.destination_count(); ++v)
    for (int h = 0; h < heads; ++h) {
      const auto begin = mask.incoming.offsets[v], end = mask.incoming.offsets[v + 1];
      std::vector<double> scores;
      for (auto k = begin; k < end; ++k) scores.push_back(score(mask.incoming.columns[k], v, k, h));
      const std::vector<double> weights = row.weights(scores);
      for (auto k = begin; k < end; ++k) {
        const double weight = weights[k - begin];
        result.weights(static_cast<Eigen::Index>(k), h) = weight;
        for (int d = h * width; d < (h + 1) * width; ++d)
          result.output(v, d) += weight * value(mask.incoming.columns[k], k, d);
      }
    }
  return result;
}

}  // namespace edgewise::test
