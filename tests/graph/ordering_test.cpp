#include "edgewise/graph/ordering.hpp"

#include <catch2/catch.hpp>
#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/permutation.hpp"
#include "edgewise/graph/random_graphs.hpp"
#include "support/graph_unions.hpp"
#include "support/node_graph.hpp"
#include "support/random_graph.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

using Order = std::function<std::vector<Node>(const FrozenGraph&)>;

const std::vector<Order> kOrders = {degree_order, cuthill_mckee_order,
                                    [](const FrozenGraph& graph) { return clustering_order(graph); }};

bool is_permutation_of(const std::vector<Node>& order, std::size_t nodes) {
  return order.size() == nodes && std::set<Node>(order.begin(), order.end()).size() == nodes &&
         std::ranges::all_of(order, [&](Node node) { return node < nodes; });
}

/// The number of adjacent nodes in `order` that share a community.
std::size_t neighbours_in_same(const std::vector<Node>& order, const std::vector<Node>& community) {
  std::size_t same = 0;
  for (std::size_t i = 1; i < order.size(); ++i) same += community[order[i]] == community[order[i - 1]] ? 1 : 0;
  return same;
}

/// The largest |destination - source| over all slots.
std::size_t bandwidth(const Csr& incoming) {
  std::size_t widest = 0;
  for (std::size_t row = 0; row < incoming.rows(); ++row)
    for (const std::size_t column : incoming.row(row))
      widest = std::max(widest, row > column ? row - column : column - row);
  return widest;
}

}  // namespace

TEST_CASE("orders are permutations, whatever the graph", "[graph][ordering]") {
  std::vector<FrozenGraph> graphs;
  graphs.push_back(freeze(Csr{}, 0));
  graphs.push_back(freeze(Csr{{0, 0}, {}}, 1));                 // one node
  graphs.push_back(freeze(Csr{{0, 1}, {0}}, 1));                // with a self loop
  graphs.push_back(freeze(Csr{{0, 0, 0, 0}, {}}, 3));           // no edges
  graphs.push_back(freeze(Csr{{0, 0, 0, 1, 3}, {0, 2, 2}}, 4));  // directed, a repeated edge, an isolated node
  graphs.push_back(freeze(test::small_graph(), {.self_loops = AddSelfLoops::yes}));
  graphs.push_back(test::random_mask(300, 300, 2, 4));  // disconnected, with a hub
  graphs.push_back(freeze(uniform_graph(5000, 3, 2), 5000));
  for (const FrozenGraph& graph : graphs)
    for (const Order& order : kOrders) CHECK(is_permutation_of(order(graph), graph.destination_count()));
}

TEST_CASE("orders need the same nodes on both sides", "[graph][ordering]") {
  const FrozenGraph between = test::random_mask(5, 7, 2, 1);
  for (const Order& order : kOrders) CHECK_THROWS_AS(order(between), UsageError);
  CHECK_THROWS_AS(clustering_order(between, {.largest = 0}), UsageError);
  CHECK_THROWS_AS(clustering_order(between, {.sweeps = 0}), UsageError);
}

TEST_CASE("neighbours are counted once, in either direction, without the node itself", "[graph][ordering]") {
  const Csr both = neighbours(freeze(test::small_graph(), {.self_loops = AddSelfLoops::yes}));
  CHECK(both.offsets == std::vector<EdgeIndex>{0, 4, 6, 10, 12, 12, 14});
  CHECK(both.columns == std::vector<Node>{1, 2, 3, 5, 0, 2, 0, 1, 3, 5, 0, 2, 0, 2});
}

TEST_CASE("degree order has the most neighbours first and is stable", "[graph][ordering]") {
  CHECK(degree_order(freeze(test::small_graph())) == std::vector<Node>{0, 2, 1, 3, 5, 4});
}

TEST_CASE("Cuthill-McKee narrows the band", "[graph][ordering]") {
  // A ring of shuffled nodes, and three isolated nodes.
  std::vector<Node> places(200);
  std::iota(places.begin(), places.end(), Node{0});
  Random random(2, Stream::shuffle);
  shuffle(std::span(places), random);
  test::Pairs pairs;
  for (std::size_t i = 0; i < places.size(); ++i) pairs.emplace_back(places[i], places[(i + 1) % places.size()]);
  const FrozenGraph ring = freeze(test::graph_of(203, pairs));
  CHECK(bandwidth(ring.incoming) > 100);
  CHECK(bandwidth(permute(ring, cuthill_mckee_order(ring)).incoming) == 2);
}

TEST_CASE("clustering finds planted communities", "[graph][ordering]") {
  const CommunityGraph planted = community_graph({.nodes = 20'000, .seed = 3});
  const FrozenGraph graph = freeze(planted.incoming, 20'000);
  const std::vector<Node> order = clustering_order(graph, {.largest = 500});
  REQUIRE(is_permutation_of(order, 20'000));
  std::vector<Node> as_it_is(20'000);
  std::iota(as_it_is.begin(), as_it_is.end(), Node{0});
  CHECK(neighbours_in_same(as_it_is, planted.community) < 1000);
  CHECK(neighbours_in_same(order, planted.community) > 18'000);
  // If a cluster cannot hold a whole community, the coarser levels place its parts close together.
  CHECK(neighbours_in_same(clustering_order(graph, {.largest = 60}), planted.community) > 18'000);
}

TEST_CASE("clusters respect the largest size and keep the order inside", "[graph][ordering]") {
  // Cliques of six with at most three nodes per cluster: at least two clusters each.
  test::Pairs pairs;
  for (Node clique = 0; clique < 50; ++clique)
    for (Node i = 0; i < 6; ++i)
      for (Node j = 0; j < i; ++j) pairs.emplace_back(clique + 50 * i, clique + 50 * j);
  const FrozenGraph graph = freeze(test::graph_of(300, pairs));
  const std::vector<Node> order = clustering_order(graph, {.largest = 6});
  for (std::size_t i = 0; i < 300; ++i) {
    CHECK(order[i] % 50 == order[i - i % 6] % 50);
    if (i % 6 > 0) CHECK(order[i] > order[i - 1]);
  }
  CHECK(is_permutation_of(clustering_order(graph, {.largest = 3}), 300));
}

TEST_CASE("orders are the same at any number of threads", "[graph][ordering]") {
  const FrozenGraph graph = freeze(community_graph({.nodes = 6000}).incoming, 6000);
  const int before = threads();
  for (const Order& order : kOrders) {
    set_threads(1);
    const std::vector<Node> one = order(graph);
    for (const int count : {2, 3}) {
      set_threads(count);
      CHECK(order(graph) == one);
    }
  }
  set_threads(before);
}
