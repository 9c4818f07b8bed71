#include "edgewise/graph/neighbourhood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "edgewise/core/error.hpp"

namespace edgewise::graph {
namespace {

struct Reached {
  std::vector<Node> nodes;     // ascending
  std::vector<bool> is_inner;  // per node of the graph: reached in fewer than `hops` steps
};

/// The nodes within `hops` steps; nothing if they and the edges to the inner ones exceed `most`.
std::optional<Reached> reached(const FrozenGraph& whole, std::span<const Node> seeds, std::size_t hops,
                               std::size_t most) {
  check_same_nodes("neighbourhood", whole);
  Reached found{.nodes = {}, .is_inner = std::vector<bool>(whole.destination_count(), false)};
  std::vector<bool> is_in(whole.destination_count(), false);
  const auto add = [&](Node node) {
    if (is_in[node]) return;
    is_in[node] = true;
    found.nodes.push_back(node);
  };
  for (const Node seed : seeds) {
    if (seed >= whole.destination_count())
      throw UsageError(fmt::format("neighbourhood: node {}, but there are {}", seed, whole.destination_count()));
    add(seed);
  }
  std::size_t begin = 0, edges = 0;
  for (std::size_t hop = 0; hop < hops && begin < found.nodes.size(); ++hop) {
    const std::size_t end = found.nodes.size();
    for (; begin < end; ++begin) {
      const Node node = found.nodes[begin];
      found.is_inner[node] = true;
      edges += whole.incoming.offsets[node + 1] - whole.incoming.offsets[node];
      if (edges + found.nodes.size() > most) return std::nullopt;
      for (EdgeIndex slot = whole.incoming.offsets[node]; slot < whole.incoming.offsets[node + 1]; ++slot)
        add(whole.incoming.columns[slot]);
    }
  }
  if (edges + found.nodes.size() > most) return std::nullopt;
  std::sort(found.nodes.begin(), found.nodes.end());
  return found;
}

Neighbourhood part_of(const FrozenGraph& whole, std::span<const Node> seeds, Reached found) {
  Neighbourhood part;
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

}  // namespace

Neighbourhood neighbourhood(const FrozenGraph& whole, std::span<const Node> seeds, std::size_t hops) {
  return *neighbourhood_within(whole, seeds, hops, std::numeric_limits<std::size_t>::max());
}

std::optional<Neighbourhood> neighbourhood_within(const FrozenGraph& whole, std::span<const Node> seeds,
                                                  std::size_t hops, std::size_t most) {
  std::optional<Reached> found = reached(whole, seeds, hops, most);
  if (!found) return std::nullopt;
  return part_of(whole, seeds, std::move(*found));
}

}  // namespace edgewise::graph
