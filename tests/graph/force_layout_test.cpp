#include "edgewise/graph/force_layout.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/parallel.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

Graph graph_of_edges(std::size_t nodes, std::vector<Node> sources, std::vector<Node> targets) {
  EdgeList edges;
  edges.sources = std::move(sources);
  edges.targets = std::move(targets);
  return Graph(NodeNames::numbered(nodes), edges);
}

/// Two cliques of `size` nodes, joined by one edge.
Graph two_cliques(Node size) {
  std::vector<Node> sources, targets;
  for (const Node first : {Node{0}, size})
    for (Node i = 0; i < size; ++i)
      for (Node j = i + 1; j < size; ++j) {
        sources.push_back(first + i);
        targets.push_back(first + j);
      }
  sources.push_back(0);
  targets.push_back(size);
  return graph_of_edges(2 * size, sources, targets);
}

double distance(const Matrix& places, Eigen::Index a, Eigen::Index b) {
  return (places.row(a) - places.row(b)).cast<double>().norm();
}

}  // namespace

TEST_CASE("nodes of one group are near each other, and none are in the same place", "[graph][force_layout]") {
  const Matrix places = force_layout(two_cliques(12));
  REQUIRE(places.rows() == 24);
  double within = 0, between = 0;
  for (Eigen::Index a = 0; a < 24; ++a)
    for (Eigen::Index b = a + 1; b < 24; ++b) {
      CHECK(distance(places, a, b) > 1e-3);
      ((a < 12) == (b < 12) ? within : between) += distance(places, a, b);
    }
  CHECK(within / (2 * 66) < 0.6 * between / 144);
}

TEST_CASE("places lie in the unit square whatever the graph", "[graph][force_layout]") {
  const Graph graphs[] = {graph_of_edges(0, {}, {}),        graph_of_edges(1, {}, {}),
                          graph_of_edges(2, {}, {}),        graph_of_edges(3, {0, 0}, {0, 0}),
                          graph_of_edges(50, {}, {}),       graph_of_edges(7, {0, 1, 0, 4}, {1, 0, 1, 5}),
                          two_cliques(3),                   graph_of_edges(4, {0, 0, 0}, {1, 2, 3})};
  for (const Graph& graph : graphs) {
    const Matrix places = force_layout(graph);
    CAPTURE(graph.node_count(), places);
    REQUIRE(places.rows() == static_cast<Eigen::Index>(graph.node_count()));
    CHECK(places.allFinite());
    CHECK((places.array() >= 0).all());
    CHECK((places.array() <= 1).all());
  }
}

TEST_CASE("a layout has the same bits again, at any number of threads", "[graph][force_layout]") {
  const Graph graph = two_cliques(20);
  const Matrix expected = force_layout(graph);
  const int before = threads();
  set_threads(before == 1 ? 2 : 1);
  CHECK(force_layout(graph) == expected);
  set_threads(before);
}
