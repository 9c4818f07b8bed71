#include "edgewise/graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cmath>
#include <numeric>

#include "edgewise/core/error.hpp"

namespace edgewise::graph {
namespace {

std::string describe(const NodeNames& names, const EdgeList& edges, EdgeIndex edge) {
  return fmt::format("edge {} ({} -> {})", edge + 1, names[edges.sources[edge]], names[edges.targets[edge]]);
}

void check(const NodeNames& names, const EdgeList& edges) {
  const std::size_t count = edges.size();
  if (count > kMaximalArcs / 2)
    throw DataError(fmt::format("edges: {}, but at most {} can be held", count, kMaximalArcs / 2));
  const auto features = static_cast<std::size_t>(edges.features.cols() == 0 ? count : edges.features.rows());
  if (edges.targets.size() != count || features != count ||
      (!edges.weights.empty() && edges.weights.size() != count))
    throw DataError(fmt::format("edges: {} sources, but {} targets, {} weights and {} rows of features", count,
                                edges.targets.size(), edges.weights.size(), features));
  for (EdgeIndex e = 0; e < count; ++e)
    if (edges.sources[e] >= names.size() || edges.targets[e] >= names.size())
      throw DataError(fmt::format("edge {}: nodes {} and {}, but there are {} nodes", e + 1, edges.sources[e],
                                  edges.targets[e], names.size()));
  for (EdgeIndex e = 0; e < edges.weights.size(); ++e)
    if (!std::isfinite(edges.weights[e]))
      throw DataError(describe(names, edges, e) + ": the weight is not a finite number");
  for (EdgeIndex e = 0; edges.features.cols() > 0 && e < count; ++e)
    if (!edges.features.row(static_cast<Eigen::Index>(e)).allFinite())
      throw DataError(describe(names, edges, e) + ": a feature is not a finite number");
}

struct Arc {
  Node source;
  Node target;
  StoredEdge edge;
};

/// Arcs in the order (source, target, edge). A counting pass distributes them to the rows of their sources; each row is
/// then sorted in cache.
std::vector<Arc> sorted_arcs(const EdgeList& edges, std::size_t nodes, const std::vector<bool>& dropped,
                             Direction direction) {
  std::vector<EdgeIndex> row_end(nodes + 1, 0);
  const auto each_arc = [&](auto&& visit) {
    for (EdgeIndex e = 0; e < edges.size(); ++e) {
      if (dropped[e]) continue;
      visit(edges.sources[e], edges.targets[e], e);
      if (direction == Direction::undirected && edges.sources[e] != edges.targets[e])
        visit(edges.targets[e], edges.sources[e], e);
    }
  };
  each_arc([&](Node source, Node, EdgeIndex) { ++row_end[source + 1]; });
  std::partial_sum(row_end.begin(), row_end.end(), row_end.begin());
  std::vector<Arc> arcs(row_end.back());
  each_arc([&](Node source, Node target, EdgeIndex e) {
    arcs[row_end[source]++] = {source, target, static_cast<StoredEdge>(e)};
  });
  EdgeIndex begin = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    std::sort(arcs.data() + begin, arcs.data() + row_end[node],
              [](const Arc& a, const Arc& b) { return a.target != b.target ? a.target < b.target : a.edge < b.edge; });
    begin = row_end[node];
  }
  return arcs;
}

}  // namespace

Graph::Graph() : boost_(std::make_shared<const BoostGraph>()) {}

Graph::Graph(NodeNames names, EdgeList edges, const GraphOptions& options)
    : names_(std::move(names)), edges_(std::move(edges)), direction_(options.direction) {
  check(names_, edges_);
  std::vector<bool> dropped(edges_.size(), false);
  for (EdgeIndex e = 0; e < edges_.size(); ++e) {
    if (edges_.sources[e] != edges_.targets[e] || options.self_loops == SelfLoops::keep) continue;
    if (options.self_loops == SelfLoops::refuse)
      throw EdgeError(e, describe(names_, edges_, e) + ": self loops are not allowed here");
    dropped[e] = true;
    ++self_loops_dropped_;
  }

  std::vector<Arc> arcs = sorted_arcs(edges_, names_.size(), dropped, direction_);
  if (options.duplicates != DuplicateEdges::keep_all) {
    const auto same = [](const Arc& a, const Arc& b) { return a.source == b.source && a.target == b.target; };
    // Equal arcs are adjacent, with the earliest edge first; that one stays.
    for (std::size_t i = 1; i < arcs.size(); ++i) {
      if (!same(arcs[i - 1], arcs[i])) continue;
      if (options.duplicates == DuplicateEdges::refuse)
        throw EdgeError(arcs[i].edge,
                        describe(names_, edges_, arcs[i].edge) + ": appears in the data a second time");
      if (!dropped[arcs[i].edge]) ++duplicates_dropped_;
      dropped[arcs[i].edge] = true;
    }
    arcs.erase(std::unique(arcs.begin(), arcs.end(), same), arcs.end());
  }

  edge_of_arc_.resize(arcs.size());
  std::vector<std::pair<Node, Node>> pairs(arcs.size());
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    edge_of_arc_[i] = arcs[i].edge;
    pairs[i] = {arcs[i].source, arcs[i].target};
  }
  std::vector<Arc>().swap(arcs);
  boost_ = std::make_shared<const BoostGraph>(boost::edges_are_sorted, pairs.begin(), pairs.end(),
                                              static_cast<Node>(names_.size()), pairs.size());
}

}  // namespace edgewise::graph
