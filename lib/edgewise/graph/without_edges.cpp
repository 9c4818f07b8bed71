#include "edgewise/graph/without_edges.hpp"

#include "edgewise/graph/detail/finish_graph.hpp"

namespace edgewise::graph {
namespace {

/// The features of the slots of `whole` that are left, and of added self loops the mean over their row.
Matrix features_left(const FrozenGraph& whole, const FrozenGraph& left, const std::vector<StoredEdge>& slots) {
  const Eigen::Index columns = whole.edge_features.cols();
  Matrix features(columns == 0 ? 0 : static_cast<Eigen::Index>(slots.size()), columns);
  if (columns == 0) return features;
  for (std::size_t row = 0; row < left.incoming.rows(); ++row) {
    const auto begin = static_cast<Eigen::Index>(left.incoming.offsets[row]);
    const auto end = static_cast<Eigen::Index>(left.incoming.offsets[row + 1]);
    Eigen::Index added = -1;
    for (Eigen::Index slot = begin; slot < end; ++slot) {
      if (left.edge[static_cast<std::size_t>(slot)] == kAddedSelfLoop) added = slot;
      features.row(slot) = whole.edge_features.row(static_cast<Eigen::Index>(slots[static_cast<std::size_t>(slot)]));
    }
    if (added < 0) continue;
    features.row(added).setZero();
    const Eigen::Index degree = end - begin;
    if (degree > 1)
      features.row(added) = features.middleRows(begin, degree).colwise().sum() / static_cast<float>(degree - 1);
  }
  return features;
}

}  // namespace

FrozenGraph without_edges(const FrozenGraph& graph, const std::vector<bool>& is_dropped) {
  FrozenGraph left;
  std::vector<StoredEdge> slots;  // of the whole graph
  left.incoming.offsets.reserve(graph.incoming.offsets.size());
  for (std::size_t row = 0; row < graph.incoming.rows(); ++row) {
    for (EdgeIndex slot = graph.incoming.offsets[row]; slot < graph.incoming.offsets[row + 1]; ++slot) {
      const StoredEdge edge = graph.edge[slot];
      if (edge != kAddedSelfLoop && is_dropped[edge]) continue;
      left.incoming.columns.push_back(graph.incoming.columns[slot]);
      left.edge.push_back(edge);
      slots.push_back(static_cast<StoredEdge>(slot));
    }
    left.incoming.offsets.push_back(left.incoming.columns.size());
  }
  left.edge_features = features_left(graph, left, slots);
  detail::finish(left, graph.source_count());
  return left;
}

}  // namespace edgewise::graph
