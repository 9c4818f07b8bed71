#include "edgewise/graph/neighbourhood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "edgewise/core/error.hpp"

namespace edgewise::graph {
namespace {

/// The rows of a graph, as EdgeRows has those of pieces.
class GraphRows {
 public:
  struct Row {
    std::span<const Node> sources;
    EdgeIndex begin;

    std::size_t size() const { return sources.size(); }
    Node source(std::size_t i) const { return sources[i]; }
    EdgeIndex slot(std::size_t i) const { return begin + i; }
  };

  explicit GraphRows(const FrozenGraph& graph) : graph_(graph) { check_same_nodes("neighbourhood", graph); }

  std::size_t node_count() const { return graph_.destination_count(); }
  Row row(Node node) const { return {graph_.incoming.row(node), graph_.incoming.offsets[node]}; }
  StoredEdge edge(EdgeIndex slot) const { return graph_.edge[slot]; }
  Eigen::Index feature_count() const { return graph_.edge_features.cols(); }
  void write_features(Node, EdgeIndex slot, float* features) const {
    std::copy_n(graph_.edge_features.row(static_cast<Eigen::Index>(slot)).data(), feature_count(), features);
  }

 private:
  const FrozenGraph& graph_;
};

/// The rows of pieces in their order.
class PieceRows {
 public:
  struct Row {
    EdgeRow row;

    std::size_t size() const { return row.size(); }
    Node source(std::size_t i) const { return row.source(row.in_piece_order(static_cast<std::uint32_t>(i))); }
    EdgeIndex slot(std::size_t i) const { return row.slot(row.in_piece_order(static_cast<std::uint32_t>(i))); }
  };

  explicit PieceRows(const EdgeRows& rows) : rows_(rows) {}

  std::size_t node_count() const { return rows_.node_count(); }
  Row row(Node node) const { return {rows_.row(node)}; }
  StoredEdge edge(EdgeIndex slot) const { return rows_.edge(slot); }
  Eigen::Index feature_count() const { return rows_.feature_count(); }
  void write_features(Node node, EdgeIndex slot, float* features) const { rows_.write_features(node, slot, features); }

 private:
  const EdgeRows& rows_;
};

struct Reached {
  std::vector<Node> nodes;     // ascending
  std::vector<bool> is_inner;  // per node of the graph: reached in fewer than `hops` steps
};

/// The nodes within `hops` steps; nothing if they and the edges to the inner ones exceed `most`.
template <class Rows>
std::optional<Reached> reached(const Rows& whole, std::span<const Node> seeds, std::size_t hops, std::size_t most) {
  Reached found{.nodes = {}, .is_inner = std::vector<bool>(whole.node_count(), false)};
  std::vector<bool> is_in(whole.node_count(), false);
  const auto add = [&](Node node) {
    if (is_in[node]) return;
    is_in[node] = true;
    found.nodes.push_back(node);
  };
  for (const Node seed : seeds) {
    if (seed >= whole.node_count())
      throw UsageError(fmt::format("neighbourhood: node {}, but there are {}", seed, whole.node_count()));
    add(seed);
  }
  std::size_t begin = 0, edges = 0;
  for (std::size_t hop = 0; hop < hops && begin < found.nodes.size(); ++hop) {
    const std::size_t end = found.nodes.size();
    for (; begin < end; ++begin) {
      const Node node = found.nodes[begin];
      const auto row = whole.row(node);
      found.is_inner[node] = true;
      edges += row.size();
      if (edges + found.nodes.size() > most) return std::nullopt;
      for (std::size_t i = 0; i < row.size(); ++i) add(row.source(i));
    }
  }
  if (edges + found.nodes.size() > most) return std::nullopt;
  std::sort(found.nodes.begin(), found.nodes.end());
  return found;
}

template <class Rows>
Neighbourhood part_of(const Rows& whole, std::span<const Node> seeds, Reached found) {
  Neighbourhood part;
  part.nodes = std::move(found.nodes);
  std::vector<Node> place(whole.node_count());
  for (std::size_t i = 0; i < part.nodes.size(); ++i) place[part.nodes[i]] = static_cast<Node>(i);
  for (const Node seed : seeds) part.seeds.push_back(place[seed]);
  Csr rows;
  std::vector<EdgeIndex> slots;  // of the whole graph
  for (const Node node : part.nodes) {
    if (found.is_inner[node]) {
      const auto row = whole.row(node);
      for (std::size_t i = 0; i < row.size(); ++i) {
        rows.columns.push_back(place[row.source(i)]);
        slots.push_back(row.slot(i));
      }
    }
    rows.offsets.push_back(rows.columns.size());
  }
  part.graph = freeze(std::move(rows), part.nodes.size());
  for (std::size_t slot = 0; slot < slots.size(); ++slot) part.graph.edge[slot] = whole.edge(slots[slot]);
  if (whole.feature_count() == 0) return part;
  part.graph.edge_features.resize(static_cast<Eigen::Index>(slots.size()), whole.feature_count());
  for (std::size_t i = 0; i < part.nodes.size(); ++i)
    for (EdgeIndex slot = part.graph.incoming.offsets[i]; slot < part.graph.incoming.offsets[i + 1]; ++slot)
      whole.write_features(part.nodes[i], slots[slot],
                           part.graph.edge_features.row(static_cast<Eigen::Index>(slot)).data());
  return part;
}

}  // namespace

Neighbourhood neighbourhood(const FrozenGraph& whole, std::span<const Node> seeds, std::size_t hops) {
  return *neighbourhood_within(whole, seeds, hops, std::numeric_limits<std::size_t>::max());
}

std::optional<Neighbourhood> neighbourhood_within(const FrozenGraph& whole, std::span<const Node> seeds,
                                                  std::size_t hops, std::size_t most) {
  const GraphRows rows(whole);
  std::optional<Reached> found = reached(rows, seeds, hops, most);
  if (!found) return std::nullopt;
  return part_of(rows, seeds, std::move(*found));
}

Neighbourhood neighbourhood_in_pieces(const EdgeRows& whole, std::span<const Node> seeds, std::size_t hops) {
  const PieceRows rows(whole);
  return part_of(rows, seeds, *reached(rows, seeds, hops, std::numeric_limits<std::size_t>::max()));
}

}  // namespace edgewise::graph
