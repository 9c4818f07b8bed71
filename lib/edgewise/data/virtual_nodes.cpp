#include "edgewise/data/virtual_nodes.hpp"

#include <fmt/format.h>

#include <string>

namespace edgewise::data {
namespace {

using Eigen::Index;
using graph::Node;

/// The new index of a node of graph g: every earlier graph has one more node.
Node moved(Node node, std::size_t g) { return node + static_cast<Node>(g); }

/// "virtual node of G", with "'" appended until the name is unique.
std::string free_name(const graph::NodeNames& users, const graph::NodeNames& added, const std::string& graph) {
  std::string name = fmt::format("virtual node of {}", graph);
  while (users.find(name) || added.find(name)) name += '\'';
  return name;
}

graph::NodeNames names_with(const GraphData& data) {
  const graph::NodeNames& users = data.graph.names();
  graph::NodeNames names;
  for (std::size_t g = 0; g < data.graph_count(); ++g) {
    for (Node node = data.offsets[g]; node < data.offsets[g + 1]; ++node) names.add(users[node]);
    names.add(free_name(users, names, g < data.names.size() ? data.names[g] : fmt::format("{}", g + 1)));
  }
  return names;
}

/// The user's edges at their new indices, then those of the virtual nodes.
graph::EdgeList edges_with(const GraphData& data) {
  const graph::EdgeList& users = data.graph.edges();
  std::vector<Node> place(data.graph.node_count());
  for (std::size_t g = 0; g < data.graph_count(); ++g)
    for (Node node = data.offsets[g]; node < data.offsets[g + 1]; ++node) place[node] = moved(node, g);
  graph::EdgeList edges;
  for (std::size_t e = 0; e < users.size(); ++e) {
    edges.sources.push_back(place[users.sources[e]]);
    edges.targets.push_back(place[users.targets[e]]);
  }
  const auto add = [&](Node source, Node target) {
    edges.sources.push_back(source);
    edges.targets.push_back(target);
  };
  for (std::size_t g = 0; g < data.graph_count(); ++g)
    for (Node node = data.offsets[g]; node < data.offsets[g + 1]; ++node) {
      const Node hub = moved(data.offsets[g + 1], g);
      add(place[node], hub);
      if (data.graph.direction() == graph::Direction::directed) add(hub, place[node]);
    }
  if (!users.weights.empty()) {
    edges.weights = users.weights;
    edges.weights.resize(edges.size(), 1.0F);
  }
  const auto old_rows = static_cast<Index>(users.size());
  edges.features = Matrix::Zero(static_cast<Index>(edges.size()), users.features.cols() + 1);
  if (users.features.cols() > 0) edges.features.topLeftCorner(old_rows, users.features.cols()) = users.features;
  edges.features.col(users.features.cols()).tail(edges.features.rows() - old_rows).setOnes();
  edges.feature_names = users.feature_names;
  edges.feature_names.emplace_back("virtual edge");
  return edges;
}

Matrix dense_with(const Matrix& users, const std::vector<Node>& offsets) {
  const auto graphs = static_cast<Index>(offsets.size() - 1);
  Matrix features = Matrix::Zero(users.rows() + graphs, users.cols() + 1);
  for (Index g = 0; g < graphs; ++g) {
    const Index first = offsets[static_cast<std::size_t>(g)], end = offsets[static_cast<std::size_t>(g) + 1];
    features.block(first + g, 0, end - first, users.cols()) = users.middleRows(first, end - first);
    features(end + g, users.cols()) = 1;
  }
  return features;
}

SparseMatrix sparse_with(const SparseMatrix& users, const std::vector<Node>& offsets) {
  const auto graphs = static_cast<Index>(offsets.size() - 1);
  SparseMatrix features(users.rows() + graphs, users.cols() + 1);
  features.reserve(users.nonZeros() + graphs);
  for (Index g = 0; g < graphs; ++g) {
    const Index end = offsets[static_cast<std::size_t>(g) + 1];
    for (Index row = offsets[static_cast<std::size_t>(g)]; row < end; ++row) {
      features.startVec(row + g);
      for (SparseMatrix::InnerIterator entry(users, row); entry; ++entry)
        features.insertBack(row + g, entry.col()) = entry.value();
    }
    features.startVec(end + g);
    features.insertBack(end + g, users.cols()) = 1;
  }
  features.finalize();
  return features;
}

}  // namespace

GraphData add_virtual_nodes(const GraphData& data) {
  GraphData result;
  result.name = data.name;
  result.names = data.names;
  result.labels = data.labels;
  result.splits = data.splits;
  for (std::size_t g = 1; g <= data.graph_count(); ++g) result.offsets.push_back(moved(data.offsets[g], g));
  result.features.is_sparse = data.features.is_sparse;
  if (data.features.is_sparse)
    result.features.sparse = sparse_with(data.features.sparse, data.offsets);
  else
    result.features.dense = dense_with(data.features.dense, data.offsets);
  result.features.names = data.features.names;
  if (!result.features.names.empty() || data.features.columns() == 0)
    result.features.names.emplace_back("virtual node");
  // If nothing was dropped, both rules give the same graph; if something was, it is dropped again.
  result.graph = graph::Graph(
      names_with(data), edges_with(data),
      {.direction = data.graph.direction(),
       .duplicates = data.graph.duplicates_dropped() > 0 ? graph::DuplicateEdges::keep_first
                                                         : graph::DuplicateEdges::keep_all,
       .self_loops = data.graph.self_loops_dropped() > 0 ? graph::SelfLoops::drop : graph::SelfLoops::keep});
  return result;
}

}  // namespace edgewise::data
