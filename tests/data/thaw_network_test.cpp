#include "edgewise/data/thaw_network.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <tuple>

#include "support/frozen_ring.hpp"

namespace edgewise::data {
namespace {

using NamedEdge = std::tuple<std::string, std::string, float>;

/// By the names of their ends.
std::multiset<NamedEdge> named_edges(const graph::Graph& graph) {
  const graph::EdgeList& edges = graph.edges();
  std::multiset<NamedEdge> named;
  std::set<std::pair<graph::Node, graph::Node>> seen;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (seen.emplace(edges.sources[e], edges.targets[e]).second)
      named.emplace(graph.names()[edges.sources[e]], graph.names()[edges.targets[e]], edges.weights[e]);
  return named;
}

TEST_CASE("a network is thawed as it was frozen", "[data][frozen_network]") {
  const test::TemporaryDirectory folder;
  const std::size_t parts = GENERATE(1, 7);
  const test::FrozenRing ring(folder.path("ring.edgewise"), parts);
  const FrozenNetwork network(ring.path);
  const graph::Graph graph = thaw_graph(network);
  CHECK(graph.direction() == ring.graph.direction());
  CHECK(named_edges(graph) == named_edges(ring.graph));
  const Features features = thaw_features(network);
  REQUIRE(features.dense.rows() == ring.features.dense.rows());
  for (graph::Node node = 0; node < graph.node_count(); ++node)
    CHECK(features.dense.row(node) == ring.features.dense.row(ring.graph.names().find(graph.names()[node]).value()));
}

}  // namespace
}  // namespace edgewise::data
