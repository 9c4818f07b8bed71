#include "edgewise/data/thaw_network.hpp"

#include <vector>

namespace edgewise::data {
namespace {

using graph::EdgeIndex;
using graph::Node;

Node source_of(const FrozenPart& part, EdgeIndex arc) {
  const Node column = part.columns[arc];
  return column < part.rows() ? part.begin + column : part.halo[column - part.rows()];
}

/// Calls visit(source, target, part, arc) for each edge, once if it is undirected.
template <class Visit>
void for_each_edge(const FrozenNetwork& network, const Visit& visit) {
  for (std::size_t p = 0; p < network.part_count(); ++p) {
    const FrozenPart part = network.part(p);
    for (Node row = 0; row < part.rows(); ++row)
      for (EdgeIndex arc = part.offsets[row]; arc < part.offsets[row + 1]; ++arc) {
        const Node source = source_of(part, arc), target = part.begin + row;
        if (network.is_directed() || source <= target) visit(source, target, part, arc);
      }
  }
}

}  // namespace

graph::EdgeList thaw_edges(const FrozenNetwork& network) {
  graph::EdgeList edges;
  for_each_edge(network, [&](Node source, Node target, const FrozenPart& part, EdgeIndex arc) {
    edges.sources.push_back(source);
    edges.targets.push_back(target);
    if (network.is_weighted()) edges.weights.push_back(part.weights.empty() ? 1.0F : part.weights[arc]);
  });
  edges.features.resize(static_cast<Eigen::Index>(edges.size()), network.edge_feature_count());
  Eigen::Index next = 0;
  if (network.edge_feature_count() > 0)
    for_each_edge(network, [&](Node, Node, const FrozenPart& part, EdgeIndex arc) {
      edges.features.row(next++) = part.edge_features.row(static_cast<Eigen::Index>(arc));
    });
  for (Eigen::Index column = 0; column < edges.features.cols(); ++column)
    edges.feature_names.push_back(std::to_string(column + 1));
  return edges;
}

graph::Graph thaw_graph(const FrozenNetwork& network) {
  return {network.names(), thaw_edges(network),
          {.direction = network.is_directed() ? graph::Direction::directed : graph::Direction::undirected,
           .duplicates = graph::DuplicateEdges::keep_all}};
}

Features thaw_features(const FrozenNetwork& network) {
  const auto nodes = static_cast<Eigen::Index>(network.node_count());
  Features features{.dense = {}, .sparse = {}, .is_sparse = network.has_sparse_features(), .names = {}};
  std::vector<Eigen::Triplet<float, std::int32_t>> entries;
  if (!features.is_sparse) features.dense.resize(nodes, network.feature_count());
  for (std::size_t p = 0; p < network.part_count(); ++p) {
    const FrozenFeatures part = network.features(p);
    for (Node node = network.boundaries()[p]; node < network.boundaries()[p + 1]; ++node) {
      const Node row = node - network.boundaries()[p];
      if (!features.is_sparse) {
        part.copy_row(row, features.dense.row(node).data());
        continue;
      }
      for (auto entry = static_cast<std::size_t>(part.offsets[row]);
           entry < static_cast<std::size_t>(part.offsets[row + 1]); ++entry)
        entries.emplace_back(static_cast<std::int32_t>(node), part.columns[entry], part.values[entry]);
    }
  }
  if (features.is_sparse) {
    features.sparse.resize(nodes, network.feature_count());
    features.sparse.setFromTriplets(entries.begin(), entries.end());
  }
  return features;
}

}  // namespace edgewise::data
