#include "edgewise/graph/neighbourhood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "edgewise/core/error.hpp"

namespace edgewise::graph {
namespace {

struct Reached {
  std::vector<Node> nodes;     // ascending
  std::vector<bool> is_inner;  // of all nodes of the graph: fewer steps lead there
};

/// The nodes within `hops` steps.
Reached reached(const FrozenGraph& whole, std::span<const Node> seeds, std::size_t hops) {
  std::vector<bool> is_in(whole.destination_count(), false);
  std::vector<bool> is_inner(whole.destination_count(), false);
  std::vector<Node> nodes;
  const auto add = [&](Node node) {
    if (is_in[node]) return;
    is_in[node] = true;
    nodes.push_back(node);
  };
  for (const Node seed : seeds) {
    if (seed >= whole.destination_count())
      throw UsageError(fmt::format("neighbourhood: node {}, but there are {}", seed, whole.destination_count()));
    add(seed);
  }
  std::size_t begin = 0;
  for (std::size_t hop = 0; hop < hops && begin < nodes.size(); ++hop) {
    const std::size_t end = nodes.size();
    for (; begin < end; ++begin) {
      const Node node = nodes[begin];
      is_inner[node] = true;
      for (EdgeIndex slot = whole.incoming.offsets[node]; slot < whole.incoming.offsets[node + 1]; ++slot)
        add(whole.incoming.columns[slot]);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  return {std::move(nodes), std::move(is_inner)};
}

}  // namespace

Neighbourhood neighbourhood(const FrozenGraph& whole, std::span<const Node> seeds, std::size_t hops) {
  Neighbourhood part;
  Reached found = reached(whole, seeds, hops);
  part.nodes = std::move(found.nodes);
  std::vector<Node> place(whole.destination_count());
  for (std::size_t i = 0; i < part.nodes.size(); ++i) place[part.nodes[i]] = static_cast<Node>(i);
  for (const Node seed : seeds) part.seeds.push_back(place[seed]);
  Csr rows;
  std::vector<EdgeIndex> slots;  // of the whole graph
  for (const Node node : part.nodes) {
    const EdgeIndex end = whole.incoming.offsets[found.is_inner[node] ? node + 1 : node];
    for (EdgeIndex slot = whole.incoming.offsets[node]; slot < end; ++slot) {
      rows.columns.push_back(place[whole.incoming.columns[slot]]);
      slots.push_back(slot);
    }
    rows.offsets.push_back(rows.columns.size());
  }
  part.graph = freeze(std::move(rows), part.nodes.size());
  for (std::size_t slot = 0; slot < slots.size(); ++slot) part.graph.edge[slot] = whole.edge[slots[slot]];
  if (whole.edge_features.cols() == 0) return part;
  part.graph.edge_features.resize(static_cast<Eigen::Index>(slots.size()), whole.edge_features.cols());
  for (std::size_t slot = 0; slot < slots.size(); ++slot)
    part.graph.edge_features.row(static_cast<Eigen::Index>(slot)) =
        whole.edge_features.row(static_cast<Eigen::Index>(slots[slot]));
  return part;
}

}  // namespace edgewise::graph
