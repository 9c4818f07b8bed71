#include "edgewise/data/path_lengths.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/masks/complete.hpp"
#include "support/graph_unions.hpp"

using namespace edgewise;
using namespace edgewise::data;
using graph::Node;

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::uint8_t kNone = PathLengths::kUnreachable;

/// Floyd 1962, Warshall 1962. Row v, column u is the length of the path u -> ... -> v.
Bytes naive_lengths(const graph::Graph& graph, Node first, Node end, int maximum) {
  const std::size_t nodes = end - first;
  std::vector<int> lengths(nodes * nodes, 1 << 20);
  for (std::size_t v = 0; v < nodes; ++v) lengths[v * nodes + v] = 0;
  for (std::size_t e = 0; e < graph.edge_count(); ++e) {
    const Node source = graph.edges().sources[e], target = graph.edges().targets[e];
    if (source < first || source >= end || source == target) continue;
    lengths[(target - first) * nodes + source - first] = 1;
    if (graph.direction() == graph::Direction::undirected) lengths[(source - first) * nodes + target - first] = 1;
  }
  for (std::size_t k = 0; k < nodes; ++k)
    for (std::size_t v = 0; v < nodes; ++v)
      for (std::size_t u = 0; u < nodes; ++u)
        lengths[v * nodes + u] = std::min(lengths[v * nodes + u], lengths[v * nodes + k] + lengths[k * nodes + u]);
  Bytes bytes;
  for (const int length : lengths)
    bytes.push_back(length >= 1 << 20 ? kNone : static_cast<std::uint8_t>(std::min(length, maximum)));
  return bytes;
}

}  // namespace

TEST_CASE("Shortest paths, by hand", "[data][path_lengths]") {
  // A union of a path of four, an empty graph and two single nodes.
  const graph::Graph graph = test::graph_of(6, test::path(4));
  const PathLengths paths = shortest_paths(graph, std::vector<Node>{0, 4, 4, 6}, 2);
  CHECK(paths.offsets == std::vector<std::uint64_t>{0, 16, 16, 20});
  CHECK(paths.lengths == Bytes{0, 1, 2, 2, 1, 0, 1, 2, 2, 1, 0, 1, 2, 2, 1, 0, 0, kNone, kNone, 0});
  const graph::Graph arcs(graph::NodeNames::numbered(3), test::edge_list(test::path(3)),
                          {.direction = graph::Direction::directed});
  CHECK(shortest_paths(arcs, std::vector<Node>{0, 3}, 9).lengths ==
        Bytes{0, kNone, kNone, 1, 0, kNone, 2, 1, 0});  // row v is reached from column u
  CHECK(shortest_paths(test::graph_of(0, {}), std::vector<Node>{0}, 9).graph_count() == 0);
}

TEST_CASE("Shortest paths equal those of Floyd and Warshall", "[data][path_lengths]") {
  const test::Union all = test::random_union({1, 0, 7, 40, 65, 130, 2}, 1.5, 4);
  for (const auto direction : {graph::Direction::undirected, graph::Direction::directed}) {
    const graph::Graph graph(all.graph.names(), all.graph.edges(), {.direction = direction});
    for (const std::uint8_t maximum : {1, 5, 254}) {
      const PathLengths paths = shortest_paths(graph, all.offsets, maximum);
      Bytes expected;
      for (std::size_t g = 0; g + 1 < all.offsets.size(); ++g) {
        const Bytes lengths = naive_lengths(graph, all.offsets[g], all.offsets[g + 1], maximum);
        expected.insert(expected.end(), lengths.begin(), lengths.end());
      }
      CHECK(paths.lengths == expected);
    }
  }
}

TEST_CASE("Path lengths beyond a byte are capped", "[data][path_lengths]") {
  const graph::Graph path = test::graph_of(400, test::path(400));
  const PathLengths paths = shortest_paths(path, std::vector<Node>{0, 400}, 254);
  CHECK(paths.lengths[399] == 254);
  CHECK(paths.lengths[253] == 253);
}

TEST_CASE("Path lengths are features of the complete mask", "[data][path_lengths]") {
  const test::Union all = test::random_union({3, 0, 8, 1, 5}, 1.5, 6);
  const PathLengths paths = shortest_paths(all.graph, all.offsets, 3);
  const graph::FrozenGraph mask = graph::complete_mask(all.offsets);
  const graph::GraphIndex every[] = {0, 1, 2, 3, 4};
  const Matrix features = path_length_features(paths, every);
  REQUIRE(features.rows() == static_cast<Eigen::Index>(mask.slot_count()));
  REQUIRE(features.cols() == 5);
  CHECK(features.rowwise().sum() == Matrix::Ones(features.rows(), 1));
  const Bytes full = naive_lengths(all.graph, 0, all.offsets.back(), 100);
  Eigen::Index slot = 0;
  for (Node v = 0; v < mask.destination_count(); ++v)
    for (auto i = mask.incoming.offsets[v]; i < mask.incoming.offsets[v + 1]; ++i) {
      const std::uint8_t length = full[v * all.offsets.back() + mask.incoming.columns[i]];
      CHECK(features(slot++, length == kNone ? 4 : std::min<int>(length, 3)) == 1);
    }
  const graph::GraphIndex members[] = {2, 0};
  const Matrix chosen = path_length_features(paths, members);
  REQUIRE(chosen.rows() == 64 + 9);
  CHECK(chosen.topRows(64) == features.middleRows(9, 64));
  CHECK(chosen.bottomRows(9) == features.topRows(9));
  const graph::GraphIndex wrong[] = {5};
  CHECK_THROWS_AS(path_length_features(paths, wrong), UsageError);
}

TEST_CASE("Shortest paths have the same bytes at one and two threads", "[data][path_lengths]") {
  const test::Union all = test::random_union({300, 20, 20, 150, 3}, 3, 8);
  const int before = threads();
  set_threads(1);
  const PathLengths paths = shortest_paths(all.graph, all.offsets, 20);
  set_threads(2);
  CHECK(paths.lengths == shortest_paths(all.graph, all.offsets, 20).lengths);
  set_threads(before);
}

TEST_CASE("Shortest paths that cannot be stored are refused", "[data][path_lengths]") {
  const graph::Graph pair = test::graph_of(2, {{0, 1}});
  CHECK_THROWS_AS(shortest_paths(pair, std::vector<Node>{0, 2}, 0), UsageError);
  CHECK_THROWS_AS(shortest_paths(pair, std::vector<Node>{0, 2}, 255), UsageError);
  CHECK_THROWS_AS(shortest_paths(pair, std::vector<Node>{0, 1, 2}, 9), UsageError);
  CHECK_THROWS_WITH(shortest_paths(test::graph_of(70000, {}), std::vector<Node>{0, 70000}, 9),
                    Catch::Matchers::Contains("more than 4294967295 pairs"));
}
