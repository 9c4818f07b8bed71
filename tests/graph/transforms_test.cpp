#include "edgewise/graph/transforms.hpp"

#include <catch2/catch.hpp>
#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"

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

Graph random_graph(std::size_t nodes, std::size_t count, Direction direction, std::uint64_t seed) {
  Random random(seed, Stream::generate);
  std::vector<std::pair<Node, Node>> pairs(nodes == 0 ? 0 : count);
  for (auto& [source, target] : pairs) {
    source = static_cast<Node>(random.below(nodes));
    target = static_cast<Node>(random.below(nodes));
  }
  return make(nodes, pairs, direction);
}

/// Shortest path lengths by |nodes| rounds over all arcs; 0 means none within `hops` (or the node itself).
std::vector<std::vector<std::uint32_t>> naive_distances(const Graph& graph, std::uint32_t hops) {
  const std::size_t n = graph.node_count();
  std::vector<std::vector<std::uint32_t>> distance(n, std::vector<std::uint32_t>(n, 0));
  for (std::uint32_t hop = 1; hop <= hops; ++hop)
    for (std::size_t start = 0; start < n; ++start)
      for (std::size_t e = 0; e < graph.edge_count(); ++e)
        for (const bool reverse : {false, true}) {
          if (reverse && graph.direction() == Direction::directed) continue;
          const Node u = reverse ? graph.edges().targets[e] : graph.edges().sources[e];
          const Node v = reverse ? graph.edges().sources[e] : graph.edges().targets[e];
          const bool at_u = hop == 1 ? u == start : distance[start][u] == hop - 1;
          if (at_u && v != start && distance[start][v] == 0) distance[start][v] = hop;
        }
  return distance;
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

TEST_CASE("neighbourhood stops after its hops", "[graph][transforms]") {
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

TEST_CASE("k-hop mask equals the naive distances", "[graph][transforms]") {
  for (const std::size_t nodes : {0, 1, 2, 9, 65, 130})
    for (const Direction direction : {Direction::directed, Direction::undirected})
      for (const std::uint32_t hops : {0U, 1U, 2U, 3U}) {
        const Graph graph = random_graph(nodes, nodes + nodes / 2, direction, nodes);
        const auto distance = naive_distances(graph, hops);
        for (const Flow flow : {Flow::source_to_target, Flow::target_to_source}) {
          const KHopMask mask = k_hop_mask(graph, hops, {.flow = flow});
          REQUIRE(mask.incoming.rows() == nodes);
          REQUIRE(mask.hops.size() == mask.incoming.slots());
          for (Node v = 0; v < nodes; ++v) {
            std::vector<Node> columns;
            std::vector<std::uint32_t> lengths;
            for (Node u = 0; u < nodes; ++u) {
              const std::uint32_t length = flow == Flow::source_to_target ? distance[u][v] : distance[v][u];
              if (length == 0) continue;
              columns.push_back(u);
              lengths.push_back(length);
            }
            const auto begin = static_cast<std::ptrdiff_t>(mask.incoming.offsets[v]);
            const auto end = static_cast<std::ptrdiff_t>(mask.incoming.offsets[v + 1]);
            const auto first = mask.incoming.columns.begin();
            CHECK(std::vector<Node>(first + begin, first + end) == columns);
            CHECK(std::vector<std::uint32_t>(mask.hops.begin() + begin, mask.hops.begin() + end) == lengths);
          }
        }
      }
}

TEST_CASE("k-hop mask is the same at any number of threads, and refuses to grow without bound", "[graph][transforms]") {
  const Graph graph = random_graph(300, 900, Direction::directed, 5);
  const int before = threads();
  set_threads(1);
  const KHopMask one = k_hop_mask(graph, 3);
  set_threads(3);
  const KHopMask three = k_hop_mask(graph, 3);
  set_threads(before);
  CHECK(one.incoming.columns == three.incoming.columns);
  CHECK(one.hops == three.hops);
  CHECK_THROWS_WITH(k_hop_mask(graph, 3, {.maximal_slots = 100}), Catch::Matchers::Contains("take fewer hops"));
}
