#include "edgewise/graph/masks/k_hop.hpp"

#include <algorithm>
#include <utility>

#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/hop_search.hpp"

namespace edgewise::graph {
namespace {

/// A node and its distance in edges.
struct NodeAtHop {
  Node node;
  std::uint32_t hops;
};

/// Consecutive rows of the mask.
struct Rows {
  std::vector<EdgeIndex> counts;
  std::vector<NodeAtHop> found;
};

bool has_self_loop(const Csr& incoming, Node row) { return std::ranges::count(incoming.row(row), row) > 0; }

/// Appends the row of a node, in ascending order.
void add_row(const Csr& incoming, Node row, std::uint32_t hops, HopSearch& search, Rows& rows) {
  const std::size_t before = rows.found.size();
  search.start(row);
  if (has_self_loop(incoming, row)) rows.found.push_back({row, 0});
  for (std::uint32_t hop = 1; hop <= hops; ++hop)
    for (std::size_t i = search.grow(); i < search.found().size(); ++i) rows.found.push_back({search.found()[i], hop});
  std::ranges::sort(rows.found.begin() + static_cast<std::ptrdiff_t>(before), rows.found.end(), {}, &NodeAtHop::node);
  rows.counts.push_back(rows.found.size() - before);
}

/// All rows, in chunks of consecutive nodes, because each search holds an array over all nodes.
std::vector<Rows> search_from_all(const FrozenGraph& edges, std::uint32_t hops) {
  constexpr std::size_t kMaxChunks = 64, kMinRows = 256;
  const std::size_t nodes = edges.destination_count();
  std::vector<Rows> chunks(std::clamp<std::size_t>(nodes / kMinRows, 1, kMaxChunks));
  parallel_chunks(chunks.size(), [&](std::size_t chunk) {
    HopSearch search(edges.incoming, 0, static_cast<Node>(nodes));
    for (std::size_t row = nodes * chunk / chunks.size(); row < nodes * (chunk + 1) / chunks.size(); ++row)
      add_row(edges.incoming, static_cast<Node>(row), hops, search, chunks[chunk]);
  });
  return chunks;
}

/// An upper bound on the slots of the graph with nodes first ... end - 1: a row has at most one per node, and one per
/// walk of up to `hops` edges that leads to it.
double slots_by_walks(const FrozenGraph& edges, Node first, Node end, std::uint32_t hops) {
  const std::size_t nodes = end - first;
  std::vector<double> walks(nodes, 1), longer(nodes), all(nodes, 1);
  for (std::uint32_t hop = 1; hop <= hops; ++hop) {
    for (std::size_t node = 0; node < nodes; ++node) {
      longer[node] = 0;
      for (const Node source : edges.incoming.row(first + node)) longer[node] += walks[source - first];
      longer[node] = std::min(longer[node], static_cast<double>(nodes));  // more make no difference
      all[node] += longer[node];
    }
    walks.swap(longer);
  }
  double slots = 0;
  for (const double of_node : all) slots += std::min(of_node, static_cast<double>(nodes));
  return slots;
}

/// The slots of the graph with nodes first ... end - 1, as for `k_hop_slots`.
double slots_of(const FrozenGraph& edges, Node first, Node end, std::uint32_t hops, double most) {
  const double bound = slots_by_walks(edges, first, end, hops);
  if (bound <= most) return bound;
  HopSearch search(edges.incoming, first, end);
  double slots = 0;
  for (Node row = first; row < end && slots <= most; ++row) {
    search.start(row);
    for (std::uint32_t hop = 1; hop <= hops; ++hop) search.grow();
    slots += static_cast<double>(search.found().size()) - (has_self_loop(edges.incoming, row) ? 0 : 1);
  }
  return slots;
}

}  // namespace

double k_hop_slots(const FrozenGraph& edges, std::span<const Node> offsets, std::uint32_t hops, double most) {
  double largest = 0;
  for (std::size_t graph = 0; graph + 1 < offsets.size() && largest <= most; ++graph)
    largest = std::max(largest, slots_of(edges, offsets[graph], offsets[graph + 1], hops, most));
  return largest;
}

FrozenGraph k_hop_mask(const FrozenGraph& edges, std::uint32_t hops, std::size_t max_slots) {
  check_same_nodes("k_hop", edges);
  const auto most = static_cast<double>(max_slots);
  if (slots_of(edges, 0, static_cast<Node>(edges.destination_count()), hops, most) > most)
    refuse_slots("k_hop", max_slots);
  const std::vector<Rows> chunks = search_from_all(edges, hops);
  std::size_t slots = 0;
  for (const Rows& rows : chunks) slots += rows.found.size();
  Csr incoming;
  incoming.columns.reserve(slots);
  Matrix features = Matrix::Zero(static_cast<Eigen::Index>(slots), static_cast<Eigen::Index>(hops) + 1);
  for (const Rows& rows : chunks) {
    for (const EdgeIndex count : rows.counts) incoming.offsets.push_back(incoming.offsets.back() + count);
    for (const NodeAtHop& found : rows.found) {
      features(static_cast<Eigen::Index>(incoming.slots()), static_cast<Eigen::Index>(found.hops)) = 1;
      incoming.columns.push_back(found.node);
    }
  }
  FrozenGraph mask = freeze(std::move(incoming), edges.source_count());
  mask.edge_features = std::move(features);
  return mask;
}

}  // namespace edgewise::graph
