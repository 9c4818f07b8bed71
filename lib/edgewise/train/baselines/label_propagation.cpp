#include "edgewise/train/baselines/label_propagation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::train {
namespace {

/// A + A^T of a directed graph, A of an undirected one, without self loops; duplicates stay beside each other.
struct Ties {
  graph::Csr csr;
  std::vector<float> weights;
  std::vector<double> strength;  ///< Sum of the weights of each row.
};

Ties ties_of(const graph::Graph& graph, bool use_weights) {
  const graph::EdgeList& edges = graph.edges();
  const bool weighted = use_weights && !edges.weights.empty();
  if (weighted)
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (edges.weights[e] < 0)
        throw DataError(fmt::format("label propagation: edge {} has the negative weight {}", e + 1, edges.weights[e]));
  const graph::FrozenGraph frozen = graph::freeze(graph);
  const bool both = graph.direction() == graph::Direction::directed;
  Ties ties;
  const auto add = [&](graph::Node row, graph::Node column, graph::EdgeIndex edge) {
    if (row == column) return;
    ties.csr.columns.push_back(column);
    ties.weights.push_back(weighted ? edges.weights[edge] : 1.0F);
    ties.strength[row] += ties.weights.back();
  };
  ties.strength.assign(graph.node_count(), 0);
  for (graph::Node node = 0; node < graph.node_count(); ++node) {
    for (auto slot = frozen.incoming.offsets[node]; slot < frozen.incoming.offsets[node + 1]; ++slot)
      add(node, frozen.incoming.columns[slot], frozen.edge[slot]);
    if (both)
      for (auto place = frozen.outgoing.offsets[node]; place < frozen.outgoing.offsets[node + 1]; ++place)
        add(node, frozen.outgoing.columns[place], frozen.edge[frozen.outgoing_slot[place]]);
    ties.csr.offsets.push_back(ties.csr.columns.size());
  }
  return ties;
}

/// Divides the weights in place: by the row's strength, or by the root of both strengths.
void normalise(Ties& ties, Propagation rule) {
  for (graph::Node row = 0; row < ties.csr.rows(); ++row)
    for (auto slot = ties.csr.offsets[row]; slot < ties.csr.offsets[row + 1]; ++slot) {
      const double other = ties.strength[ties.csr.columns[slot]], own = ties.strength[row];
      const double divisor = rule == Propagation::clamped ? own : std::sqrt(own * other);
      ties.weights[slot] = divisor > 0 ? static_cast<float>(ties.weights[slot] / divisor) : 0.0F;
    }
}

/// One step from `from` to `to`; returns the largest change.
float step(const Ties& ties, const std::vector<graph::Node>& chunks, ConstMatrixRef seeds,
           const std::vector<bool>& is_seed, const LabelPropagationOptions& options, const Matrix& from, Matrix& to) {
  const bool clamped = options.rule == Propagation::clamped;
  const auto alpha = static_cast<float>(options.alpha);
  std::vector<float> changes(chunks.size() - 1, 0);
  parallel_chunks(changes.size(), [&](std::size_t chunk) {
    for (graph::Node row = chunks[chunk]; row < chunks[chunk + 1]; ++row) {
      to.row(row).setZero();
      for (auto slot = ties.csr.offsets[row]; slot < ties.csr.offsets[row + 1]; ++slot)
        to.row(row) += ties.weights[slot] * from.row(ties.csr.columns[slot]);
      if (!clamped) to.row(row) = alpha * to.row(row) + (1 - alpha) * seeds.row(row);
      if (clamped && is_seed[row]) to.row(row) = seeds.row(row);
      for (Eigen::Index c = 0; c < to.cols(); ++c)
        changes[chunk] = std::max(changes[chunk], std::abs(to(row, c) - from(row, c)));
    }
  });
  return *std::max_element(changes.begin(), changes.end());
}

void check(const data::Labels& labels, const data::Split& split, std::size_t nodes,
           const LabelPropagationOptions& options) {
  if (labels.task != data::Task::classification)
    throw UsageError("label propagation: expected a classification task");
  if (labels.classes.size() != nodes || split.size() != nodes)
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
  for (std::size_t node = 0; node < nodes; ++node) {
    if (split[node] != data::Role::train || labels.classes[node] < 0) continue;
    seeds(static_cast<Eigen::Index>(node), labels.classes[node]) = 1;
    is_seed[node] = true;
  }
  // Counts of at most 2^24 nodes a class are exact in float.
  const Matrix frequencies = seeds.colwise().sum();
  const auto seed_count = static_cast<float>(std::count(is_seed.begin(), is_seed.end(), true));
  if (seed_count == 0) throw DataError("label propagation: no training node has a label");

  Ties ties = ties_of(graph, options.use_weights);
  normalise(ties, options.rule);
  const std::vector<graph::Node> chunks = graph::balanced_chunks(ties.csr.offsets);
  Matrix current = seeds, next(rows, classes);
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    const float change = step(ties, chunks, seeds, is_seed, options, current, next);
    current.swap(next);
    if (change <= options.tolerance) break;
  }
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
