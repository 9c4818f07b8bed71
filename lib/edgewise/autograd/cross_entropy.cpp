#include "edgewise/autograd/cross_entropy.hpp"

#include <cmath>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::autograd {

using detail::for_each_rows;
using Eigen::Index;

namespace {

struct Examples {
  std::span<const std::int32_t> classes;
  std::span<const std::uint32_t> nodes;
  std::span<const float> class_weights, row_weights;

  float weight(std::uint32_t node) const {
    const std::int32_t c = classes[node];
    if (c < 0) return 0;
    const float of_class = class_weights.empty() ? 1.0F : class_weights[static_cast<std::size_t>(c)];
    return row_weights.empty() ? of_class : of_class * row_weights[node];
  }
};

void check(Variable logits, std::span<const std::int32_t> classes, std::span<const std::uint32_t> nodes,
           std::span<const float> class_weights) {
  const Shape shape = shape_of(logits);
  if (shape.columns == 0) throw UsageError("cross_entropy: expected logits of at least one class, got none");
  check_count("cross_entropy", "classes", classes.size(), static_cast<std::size_t>(shape.rows));
  if (!class_weights.empty())
    check_count("cross_entropy", "class_weights", class_weights.size(), static_cast<std::size_t>(shape.columns));
  for (const std::uint32_t node : nodes) {
    check_index("cross_entropy", "nodes", node, classes.size());
    if (classes[node] >= 0)
      check_index("cross_entropy", "classes", static_cast<std::size_t>(classes[node]),
                  static_cast<std::size_t>(shape.columns));
  }
}

}  // namespace

Variable cross_entropy(Variable logits, std::span<const std::int32_t> classes, std::span<const std::uint32_t> nodes,
                       std::span<const float> class_weights, std::span<const float> row_weights, float smoothing) {
  check_probability("cross_entropy", smoothing);
  check(logits, classes, nodes, class_weights);
  if (!row_weights.empty()) check_count("cross_entropy", "row weights", row_weights.size(), classes.size());
  const Examples examples{classes, nodes, class_weights, row_weights};
  const auto count = static_cast<Index>(nodes.size());
  Variable loss = logits.tape().make(1, 1, logits.needs_gradient());
  // Per example: the log of the sum of exponentials, and the weighted loss.
  Variable kept = logits.tape().make(count, 2, false);
  MatrixMap log_sum_and_loss = kept.value();
  log_sum_and_loss.setZero();
  for_each_rows(count, logits.cols(), [&](Index begin, Index rows) {
    for (Index i = begin; i < begin + rows; ++i) {
      const std::uint32_t node = nodes[static_cast<std::size_t>(i)];
      const std::int32_t c = classes[node];
      const auto row = logits.value().row(node).array();
      const float highest = row.maxCoeff<Eigen::PropagateNaN>();
      log_sum_and_loss(i, 0) = highest + std::log((row - highest).exp().sum());
      if (c < 0) continue;
      const float of_class = smoothing == 0 ? row(c) : (1 - smoothing) * row(c) + smoothing * row.mean();
      log_sum_and_loss(i, 1) = examples.weight(node) * (log_sum_and_loss(i, 0) - of_class);
    }
  });
  double total = 0;
  double total_weight = 0;
  for (Index i = 0; i < count; ++i) {
    total += log_sum_and_loss(i, 1);
    total_weight += examples.weight(nodes[static_cast<std::size_t>(i)]);
  }
  loss.value()(0, 0) = total_weight > 0 ? static_cast<float>(total / total_weight) : 0.0F;
  if (total_weight == 0) return loss;

  logits.tape().on_backward(loss, [logits, loss, examples, kept, total_weight, smoothing] {
    // d/dlogits = weight / total_weight * (softmax - (1 - smoothing) at the class - smoothing / classes everywhere)
    MatrixMap gradient = logits.gradient();
    const float upstream = loss.gradient()(0, 0) / static_cast<float>(total_weight);
    for_each_rows(kept.rows(), logits.cols(), [&](Index begin, Index rows) {
      for (Index i = begin; i < begin + rows; ++i) {
        const std::uint32_t node = examples.nodes[static_cast<std::size_t>(i)];
        const std::int32_t c = examples.classes[node];
        if (c < 0) continue;
        const float factor = upstream * examples.weight(node);
        gradient.row(node).array() += factor * (logits.value().row(node).array() - kept.value()(i, 0)).exp();
        gradient(node, c) -= factor * (1 - smoothing);
        if (smoothing > 0) gradient.row(node).array() -= factor * smoothing / static_cast<float>(logits.cols());
      }
    });
  });
  return loss;
}

}  // namespace edgewise::autograd
