#include "edgewise/graph/transforms.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

Graph make(std::size_t nodes, std::vector<std::pair<Node, Node>> pairs, Direction direction) {
  EdgeList edges;
  for (const auto& [source, target] : pairs) {
    edges.sources.push_back(source);
    edges.targets.push_back(target);
  }
  return Graph(NodeNames::numbered(nodes), std::move(edges), {.direction = direction});
}

}  // namespace

TEST_CASE("connected components ignore direction", "[graph][transforms]") {
  for (const Direction direction : {Direction::directed, Direction::undirected}) {
    const Components components = connected_components(make(6, {{4, 1}, {1, 3}, {2, 5}}, direction));
    CHECK(components.component == std::vector<Node>{0, 1, 2, 1, 1, 2});
    CHECK(components.sizes == std::vector<std::size_t>{1, 3, 2});
  }
  CHECK(connected_components(Graph()).count() == 0);
  CHECK(connected_components(make(3, {}, Direction::undirected)).count() == 3);
}

TEST_CASE("neighbourhood stops after the given hops", "[graph][transforms]") {
  // 0 - 1 - 2 - 3 and 0 - 4
  const Graph path = make(6, {{0, 1}, {1, 2}, {2, 3}, {0, 4}}, Direction::undirected);
  CHECK(neighbourhood(path, 1, 0) == std::vector<NodeAtHop>{{1, 0}});
  CHECK(neighbourhood(path, 1, 2) == std::vector<NodeAtHop>{{1, 0}, {0, 1}, {2, 1}, {4, 2}, {3, 2}});
  CHECK(neighbourhood(path, 5, 9).size() == 1);
  const Graph chain = make(3, {{0, 1}, {1, 2}}, Direction::directed);
  CHECK(neighbourhood(chain, 0, 9).size() == 3);
  CHECK(neighbourhood(chain, 2, 9).size() == 1);
  CHECK_THROWS_AS(neighbourhood(chain, 3, 1), UsageError);
}
