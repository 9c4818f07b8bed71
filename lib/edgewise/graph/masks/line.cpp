#include "edgewise/graph/masks/line.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace edgewise::graph {
namespace {

/// An output iterator that only counts.
struct Counter {
  using difference_type = std::ptrdiff_t;
  std::size_t* count;
  Counter& operator*() { return *this; }
  Counter& operator++() { return *this; }
  Counter operator++(int) { return *this; }
  Counter& operator=(Node /*value*/) { return ++*count, *this; }
};

Node target_of(const Csr& incoming, EdgeIndex slot) {
  const auto next = std::ranges::upper_bound(incoming.offsets, slot);
  return static_cast<Node>(next - incoming.offsets.begin() - 1);
}

/// One row per edge: its nodes in ascending order, a single one for a self loop.
Csr ends_of(const FrozenGraph& edges) {
  check_same_nodes("line", edges);
  Csr ends;
  for (const EdgeIndex slot : edge_slots(edges)) {
    const auto [low, high] = std::minmax({edges.incoming.columns[slot], target_of(edges.incoming, slot)});
    ends.columns.push_back(low);
    if (low != high) ends.columns.push_back(high);
    ends.offsets.push_back(ends.columns.size());
  }
  return ends;
}

/// The incident edges of each of `nodes` nodes.
Csr transpose(const Csr& ends, std::size_t nodes) {
  Csr edges_at;
  edges_at.offsets.assign(nodes + 1, 0);
  for (const Node node : ends.columns) ++edges_at.offsets[node + 1];
  for (std::size_t node = 0; node < nodes; ++node) edges_at.offsets[node + 1] += edges_at.offsets[node];
  edges_at.columns.resize(ends.slots());
  std::vector<EdgeIndex> next(edges_at.offsets.begin(), edges_at.offsets.end() - 1);
  for (Node edge = 0; edge < ends.rows(); ++edge)
    for (EdgeIndex slot = ends.offsets[edge]; slot < ends.offsets[edge + 1]; ++slot)
      edges_at.columns[next[ends.columns[slot]]++] = edge;
  return edges_at;
}

/// The edges incident to either node of `edge`, each once, ascending.
template <class Output>
void visit_neighbours(const Csr& ends, const Csr& edges_at, Node edge, Output output) {
  const std::span<const Node> nodes = ends.row(edge);
  std::ranges::set_union(edges_at.row(nodes.front()), edges_at.row(nodes.back()), output);
}

}  // namespace

std::vector<EdgeIndex> edge_slots(const FrozenGraph& edges) {
  std::vector<std::pair<StoredEdge, EdgeIndex>> order;
  order.reserve(edges.slot_count());
  for (EdgeIndex slot = 0; slot < edges.slot_count(); ++slot)
    if (edges.edge[slot] != kAddedSelfLoop) order.emplace_back(edges.edge[slot], slot);
  std::ranges::sort(order);
  const auto repeated = std::ranges::unique(order, {}, &std::pair<StoredEdge, EdgeIndex>::first);
  order.erase(repeated.begin(), repeated.end());
  std::vector<EdgeIndex> slots;
  slots.reserve(order.size());
  for (const auto& [edge, slot] : order) slots.push_back(slot);
  std::ranges::sort(slots);
  return slots;
}

Matrix edge_rows(const FrozenGraph& edges) {
  const std::vector<EdgeIndex> slots = edge_slots(edges);
  const auto count = static_cast<Eigen::Index>(slots.size());
  if (edges.edge_features.cols() == 0) return Matrix::Ones(count, 1);
  Matrix rows(count, edges.edge_features.cols());
  for (Eigen::Index row = 0; row < count; ++row)
    rows.row(row) = edges.edge_features.row(static_cast<Eigen::Index>(slots[static_cast<std::size_t>(row)]));
  return rows;
}

double line_slots(const FrozenGraph& edges, std::span<const Node> offsets) {
  const Csr edges_at = transpose(ends_of(edges), edges.destination_count());
  double largest = 0;
  for (std::size_t graph = 0; graph + 1 < offsets.size(); ++graph) {
    double slots = 0;
    for (Node node = offsets[graph]; node < offsets[graph + 1]; ++node) {
      const auto edges_of_node = static_cast<double>(edges_at.row(node).size());
      slots += edges_of_node * (edges_of_node - 0.5);  // an edge finds itself at both ends
    }
    largest = std::max(largest, slots);
  }
  return largest;
}

FrozenGraph line_mask(const FrozenGraph& edges, std::size_t max_slots) {
  const Csr ends = ends_of(edges);
  const Csr edges_at = transpose(ends, edges.destination_count());
  Csr incoming;
  std::size_t slots = 0;
  for (Node edge = 0; edge < ends.rows(); ++edge) {
    visit_neighbours(ends, edges_at, edge, Counter{&slots});
    if (slots > max_slots) refuse_slots("line", max_slots);
    incoming.offsets.push_back(slots);
  }
  incoming.columns.reserve(slots);
  for (Node edge = 0; edge < ends.rows(); ++edge)
    visit_neighbours(ends, edges_at, edge, std::back_inserter(incoming.columns));
  return freeze(std::move(incoming), ends.rows());
}

FrozenGraph ends_mask(const FrozenGraph& edges) { return freeze(ends_of(edges), edges.destination_count()); }

FrozenGraph incident_mask(const FrozenGraph& edges) {
  const Csr ends = ends_of(edges);
  return freeze(transpose(ends, edges.destination_count()), ends.rows());
}

}  // namespace edgewise::graph
