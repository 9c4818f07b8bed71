#include "edgewise/graph/ordering.hpp"

#include <algorithm>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <iterator>
#include <numeric>

#include "edgewise/graph/boost_graph.hpp"

namespace edgewise::graph {
namespace {

BoostGraph to_boost(const Csr& csr) {
  std::vector<std::pair<Node, Node>> arcs;
  arcs.reserve(csr.slots());
  for (Node row = 0; row < csr.rows(); ++row)
    for (const Node column : csr.row(row)) arcs.emplace_back(row, column);
  return BoostGraph(boost::edges_are_sorted, arcs.begin(), arcs.end(), static_cast<Node>(csr.rows()), arcs.size());
}

}  // namespace

Csr neighbours(const FrozenGraph& graph) {
  check_same_nodes("order", graph);
  Csr both;
  both.offsets.reserve(graph.destination_count() + 1);
  both.columns.reserve(graph.slot_count());
  for (Node node = 0; node < graph.destination_count(); ++node) {
    const auto begin = static_cast<std::ptrdiff_t>(both.columns.size());
    const std::span<const Node> sources = graph.incoming.row(node), destinations = graph.outgoing.row(node);
    both.columns.insert(both.columns.end(), sources.begin(), sources.end());
    if (!std::ranges::equal(sources, destinations)) {
      both.columns.insert(both.columns.end(), destinations.begin(), destinations.end());
      std::sort(both.columns.begin() + begin, both.columns.end());
    }
    const auto end = std::unique(both.columns.begin() + begin, both.columns.end());
    both.columns.erase(std::remove(both.columns.begin() + begin, end, node), both.columns.end());
    both.offsets.push_back(both.columns.size());
  }
  return both;
}

std::vector<Node> degree_order(const FrozenGraph& graph) {
  const Csr both = neighbours(graph);
  std::vector<Node> order(both.rows());
  std::iota(order.begin(), order.end(), Node{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](Node node) { return both.offsets[node + 1] - both.offsets[node]; });
  return order;
}

std::vector<Node> cuthill_mckee_order(const FrozenGraph& graph) {
  const BoostGraph both_ways = to_boost(neighbours(graph));
  std::vector<Node> order;
  order.reserve(graph.destination_count());
  boost::cuthill_mckee_ordering(both_ways, std::back_inserter(order));
  std::ranges::reverse(order);
  return order;
}

}  // namespace edgewise::graph
