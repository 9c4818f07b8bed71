#include "edgewise/graph/components.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("connected components ignore direction", "[graph][components]") {
  for (const Direction direction : {Direction::directed, Direction::undirected}) {
    const Components components = connected_components(make(6, {{4, 1}, {1, 3}, {2, 5}}, direction));
    CHECK(components.component == std::vector<Node>{0, 1, 2, 1, 1, 2});
    CHECK(components.sizes == std::vector<std::size_t>{1, 3, 2});
  }
  CHECK(connected_components(Graph()).count() == 0);
  CHECK(connected_components(make(3, {}, Direction::undirected)).count() == 3);
}
