#include "edgewise/train/baselines/detail/propagation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::train::detail {
namespace {

Ties ties_of(const graph::Graph& graph, bool use_weights) {
  const graph::EdgeList& edges = graph.edges();
  const bool weighted = use_weights && !edges.weights.empty();
  if (weighted)
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (edges.weights[e] < 0)
        throw UsageError(fmt::format("label propagation: edge {} has the negative weight {}", e + 1, edges.weights[e]));
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
  constexpr graph::Node kAtOnce = 1 << 14;
  for (graph::Node node = 0; node < graph.node_count(); ++node) {
    if (node % kAtOnce == 0) check_interruption();
    for (auto slot = frozen.incoming.offsets[node]; slot < frozen.incoming.offsets[node + 1]; ++slot)
      add(node, frozen.incoming.columns[slot], frozen.edge[slot]);
    if (both)
      for (auto place = frozen.outgoing.offsets[node]; place < frozen.outgoing.offsets[node + 1]; ++place)
        add(node, frozen.outgoing.columns[place], frozen.edge[frozen.outgoing_slot[place]]);
    ties.csr.offsets.push_back(ties.csr.columns.size());
  }
  return ties;
}

/// Divides the weights in place by the row's strength, or by the square root of both strengths.
void normalise(Ties& ties, Propagation rule) {
  for (graph::Node row = 0; row < ties.csr.rows(); ++row)
    for (auto slot = ties.csr.offsets[row]; slot < ties.csr.offsets[row + 1]; ++slot) {
      const double other = ties.strength[ties.csr.columns[slot]], own = ties.strength[row];
      const double divisor = rule == Propagation::clamped ? own : std::sqrt(own * other);
      ties.weights[slot] = divisor > 0 ? static_cast<float>(ties.weights[slot] / divisor) : 0.0F;
    }
}

/// One step from `from` to `to`; returns the largest change.
float step(const Ties& ties, const std::vector<graph::Node>& chunks, const Matrix& seeds,
           const std::vector<bool>& is_seed, const LabelPropagationOptions& options, const Bounds* bounds,
           const Matrix& from, Matrix& to) {
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
      if (bounds != nullptr) to.row(row) = to.row(row).cwiseMax(bounds->low).cwiseMin(bounds->high);
      for (Eigen::Index c = 0; c < to.cols(); ++c)
        changes[chunk] = std::max(changes[chunk], std::abs(to(row, c) - from(row, c)));
    }
  });
  return *std::max_element(changes.begin(), changes.end());
}

}  // namespace

Ties normalised_ties(const graph::Graph& graph, Propagation rule, bool use_weights) {
  Ties ties = ties_of(graph, use_weights);
  normalise(ties, rule);
  return ties;
}

Matrix propagate(const Ties& ties, const Matrix& seeds, const std::vector<bool>& is_seed,
                 const LabelPropagationOptions& options, const Bounds* bounds) {
  const std::vector<graph::Node> chunks = graph::balanced_chunks(ties.csr.offsets);
  Matrix current = seeds, next(seeds.rows(), seeds.cols());
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    report_step("spreading along the edges", iteration, options.iterations);
    const float change = step(ties, chunks, seeds, is_seed, options, bounds, current, next);
    current.swap(next);
    if (change <= options.tolerance) break;
  }
  return current;
}

}  // namespace edgewise::train::detail
