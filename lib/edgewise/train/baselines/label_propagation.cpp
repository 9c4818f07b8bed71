#include "edgewise/train/baselines/label_propagation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/train/baselines/detail/propagation.hpp"

namespace edgewise::train {
namespace {

void check(const data::Labels& labels, const data::Split& split, std::size_t nodes,
           const LabelPropagationOptions& options) {
  if (!labels.has_classes())
    throw UsageError("label propagation: expected a classification task");
  if (labels.classes.size() > nodes || split.size() != labels.classes.size())
    throw UsageError(fmt::format("label propagation: {} nodes, but {} labels and {} roles", nodes,
                                 labels.classes.size(), split.size()));
  if (!(options.alpha >= 0 && options.alpha < 1))
    throw UsageError(fmt::format("label propagation: alpha: expected a number in [0, 1), got {}", options.alpha));
  if (options.iterations < 1)
    throw UsageError(fmt::format("label propagation: iterations: expected at least 1, got {}", options.iterations));
}

}  // namespace

Matrix label_propagation(const graph::Graph& graph, const data::Labels& labels, const data::Split& split,
                         const LabelPropagationOptions& options) {
  const std::size_t nodes = graph.node_count();
  check(labels, split, nodes, options);
  const auto rows = static_cast<Eigen::Index>(nodes);
  const auto classes = static_cast<Eigen::Index>(labels.names.size());
  Matrix seeds = Matrix::Zero(rows, classes);
  std::vector<bool> is_seed(nodes, false);
  for (std::size_t node = 0; node < split.size(); ++node) {
    if (split[node] != data::Role::train || labels.classes[node] < 0) continue;
    seeds(static_cast<Eigen::Index>(node), labels.classes[node]) = 1;
    is_seed[node] = true;
  }
  // Counts of up to 2^24 nodes per class are exact in float.
  const Matrix frequencies = seeds.colwise().sum();
  const auto seed_count = static_cast<float>(std::count(is_seed.begin(), is_seed.end(), true));
  if (seed_count == 0) throw DataError("label propagation: no training node has a label");

  const StepPart whole("label_propagation", 0, 1);
  Matrix current = detail::propagate(detail::normalised_ties(graph, options.rule, options.use_weights), seeds, is_seed,
                                     options);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const float mass = current.row(row).sum();
    if (mass > 0)
      current.row(row) /= mass;
    else
      current.row(row) = frequencies / seed_count;
  }
  return current;
}

}  // namespace edgewise::train
