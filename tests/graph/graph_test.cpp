#include "edgewise/graph/graph.hpp"

#include <catch2/catch.hpp>

#include <boost/graph/adjacency_list.hpp>
#include <boost/range/iterator_range.hpp>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/boost_graph.hpp"

using namespace edgewise;
using namespace edgewise::graph;
using Catch::Matchers::Contains;

namespace {

EdgeList edge_list(std::vector<Node> sources, std::vector<Node> targets) {
  EdgeList edges;
  edges.sources = std::move(sources);
  edges.targets = std::move(targets);
  return edges;
}

std::vector<std::pair<Node, Node>> arcs_of(const Graph& graph) {
  std::vector<std::pair<Node, Node>> arcs;
  for (const auto& arc : boost::make_iterator_range(boost::edges(graph.boost())))
    arcs.emplace_back(boost::source(arc, graph.boost()), boost::target(arc, graph.boost()));
  return arcs;
}

}  // namespace

TEST_CASE("an undirected edge has two arcs, a self loop has one", "[graph]") {
  const Graph graph(NodeNames::numbered(4), edge_list({2, 1, 3}, {0, 2, 3}));
  CHECK(arcs_of(graph) == std::vector<std::pair<Node, Node>>{{0, 2}, {1, 2}, {2, 0}, {2, 1}, {3, 3}});
  const std::vector<EdgeIndex> edges = {0, 1, 0, 1, 2};
  for (EdgeIndex arc = 0; arc < graph.arc_count(); ++arc) CHECK(graph.edge_of_arc(arc) == edges[arc]);
}

TEST_CASE("duplicates and self loops follow the rules", "[graph]") {
  const EdgeList edges = edge_list({0, 1, 0, 2, 0}, {1, 0, 1, 2, 2});
  SECTION("undirected: a reverse edge is a duplicate") {
    const Graph graph(NodeNames::numbered(3), edges);
    CHECK(graph.duplicates_dropped() == 2);
    CHECK(graph.arc_count() == 5);
    CHECK(graph.edge_count() == 5);
  }
  SECTION("directed: it is not") {
    const Graph graph(NodeNames::numbered(3), edges, {.direction = Direction::directed});
    CHECK(graph.duplicates_dropped() == 1);
    CHECK(graph.arc_count() == 4);
  }
  SECTION("all kept") {
    const Graph graph(NodeNames::numbered(3), edges,
                      {.direction = Direction::directed, .duplicates = DuplicateEdges::keep_all});
    CHECK(graph.arc_count() == 5);
  }
  SECTION("self loops dropped") {
    const Graph graph(NodeNames::numbered(3), edges, {.self_loops = SelfLoops::drop});
    CHECK(graph.self_loops_dropped() == 1);
    CHECK(graph.arc_count() == 4);
  }
  SECTION("refused") {
    CHECK_THROWS_WITH(Graph(NodeNames::numbered(3), edges, {.duplicates = DuplicateEdges::refuse}),
                      Contains("edge 2 (1 -> 0): appears in the data a second time"));
    CHECK_THROWS_WITH(Graph(NodeNames::numbered(3), edges, {.self_loops = SelfLoops::refuse}),
                      Contains("edge 4 (2 -> 2): self loops are not allowed"));
  }
}

TEST_CASE("a graph refuses invalid edges", "[graph]") {
  CHECK_THROWS_WITH(Graph(NodeNames::numbered(2), edge_list({0}, {2})), Contains("there are 2 nodes"));
  CHECK_THROWS_AS(Graph(NodeNames::numbered(2), edge_list({0, 1}, {1})), DataError);
  EdgeList edges = edge_list({0}, {1});
  edges.weights = {NAN};
  CHECK_THROWS_WITH(Graph(NodeNames::numbered(2), edges), Contains("not a finite number"));
}

TEST_CASE("a graph may be empty or have no edges", "[graph]") {
  CHECK(Graph(NodeNames(), {}).node_count() == 0);
  CHECK(Graph(NodeNames::numbered(3), {}).arc_count() == 0);
}

TEST_CASE("a random graph equals Boost's adjacency list", "[graph]") {
  Random random(8, Stream::generate);
  EdgeList edges;
  boost::adjacency_list<boost::setS, boost::vecS, boost::undirectedS> expected(60);
  for (int e = 0; e < 400; ++e) {
    edges.sources.push_back(static_cast<Node>(random.below(60)));
    edges.targets.push_back(static_cast<Node>(random.below(60)));
    if (edges.sources.back() != edges.targets.back())
      boost::add_edge(edges.sources.back(), edges.targets.back(), expected);
  }
  const Graph graph(NodeNames::numbered(60), edges, {.self_loops = SelfLoops::drop});
  CHECK(graph.arc_count() == 2 * boost::num_edges(expected));
  for (const auto& [source, target] : arcs_of(graph)) CHECK(boost::edge(source, target, expected).second);
}
