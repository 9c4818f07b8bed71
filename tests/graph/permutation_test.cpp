#include "edgewise/graph/permutation.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "edgewise/attention/attend.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/random_graphs.hpp"
#include "support/node_graph.hpp"
#include "support/random_graph.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

std::vector<Node> random_order(std::size_t nodes, std::uint64_t seed) {
  std::vector<Node> order(nodes);
  std::iota(order.begin(), order.end(), Node{0});
  Random random(seed, Stream::shuffle);
  shuffle(std::span(order), random);
  return order;
}

void check_equal(const FrozenGraph& a, const FrozenGraph& b) {
  CHECK(a.incoming.offsets == b.incoming.offsets);
  CHECK(a.incoming.columns == b.incoming.columns);
  CHECK(a.outgoing.offsets == b.outgoing.offsets);
  CHECK(a.outgoing.columns == b.outgoing.columns);
  CHECK(a.outgoing_slot == b.outgoing_slot);
  CHECK(a.edge == b.edge);
  CHECK(a.edge_features == b.edge_features);
  CHECK(a.incoming_chunks == b.incoming_chunks);
  CHECK(a.outgoing_chunks == b.outgoing_chunks);
}

/// Includes repeated edges.
FrozenGraph repeated_graph() {
  Random random(5, Stream::generate);
  EdgeList edges;
  for (int e = 0; e < 4000; ++e) {
    edges.sources.push_back(static_cast<Node>(random.below(500)));
    edges.targets.push_back(static_cast<Node>(random.below(30)));
  }
  edges.features = test::random_matrix(4000, 3, 1);
  return freeze(Graph(NodeNames::numbered(500), edges,
                      {.direction = Direction::directed, .duplicates = DuplicateEdges::keep_all}),
                {.self_loops = AddSelfLoops::yes});
}

}  // namespace

TEST_CASE("permute moves nodes, and edges with their data, by hand", "[graph][permutation]") {
  const FrozenGraph graph = freeze(test::node_graph(3, {{0, 1}, {2, 1}, {1, 2}}, 2));
  const FrozenGraph turned = permute(graph, std::vector<Node>{2, 0, 1});  // 2 -> 0, 0 -> 1, 1 -> 2
  CHECK(turned.incoming.offsets == std::vector<EdgeIndex>{0, 1, 1, 3});
  CHECK(turned.incoming.columns == std::vector<Node>{2, 0, 1});
  CHECK(turned.edge == std::vector<StoredEdge>{2, 1, 0});
  CHECK(turned.outgoing.offsets == std::vector<EdgeIndex>{0, 1, 2, 3});
  CHECK(turned.outgoing.columns == std::vector<Node>{2, 2, 0});
  CHECK(turned.outgoing_slot == std::vector<StoredEdge>{1, 2, 0});
  for (Eigen::Index slot = 0; slot < 3; ++slot)
    CHECK(turned.edge_features.row(slot) == test::random_matrix(3, 2, 99).row(turned.edge[slot]));
}

TEST_CASE("permuting equals freezing the renumbered graph, and the inverse undoes it", "[graph][permutation]") {
  const FrozenGraph mask = test::random_mask(700, 700, 9, 2);
  const std::vector<Node> order = random_order(700, 1), place = inverse(order);
  const FrozenGraph permuted = permute(mask, order);
  Csr incoming;
  for (const Node row : order) {
    const auto begin = static_cast<std::ptrdiff_t>(incoming.slots());
    for (EdgeIndex slot = mask.incoming.offsets[row]; slot < mask.incoming.offsets[row + 1]; ++slot)
      incoming.columns.push_back(place[mask.incoming.columns[slot]]);
    std::sort(incoming.columns.begin() + begin, incoming.columns.end());
    incoming.offsets.push_back(incoming.slots());
  }
  FrozenGraph expected = freeze(std::move(incoming), 700);
  expected.edge = permuted_slots(mask, order);  // `edge` of a mask holds its slots
  check_equal(permuted, expected);
  check_equal(permute(permuted, place), mask);
  check_equal(permute(permute(repeated_graph(), random_order(500, 3)), inverse(random_order(500, 3))),
              repeated_graph());
  check_equal(permute(freeze(Csr{}, 0), {}), freeze(Csr{}, 0));
}

TEST_CASE("attention on a permuted graph, permuted back, equals that on the graph", "[graph][permutation]") {
  const FrozenGraph mask = test::random_mask(400, 400, 11, 6);
  const std::vector<Node> order = random_order(400, 2), place = inverse(order);
  const Matrix query = test::random_matrix(400, 12, 1), key = test::random_matrix(400, 12, 2),
               value = test::random_matrix(400, 12, 3);
  const Matrix moved_query = permute_rows(query, order), moved_key = permute_rows(key, order),
               moved_value = permute_rows(value, order);
  const Matrix moved = attention::attend(permute(mask, order), {moved_query, moved_key, moved_value}, {.heads = 3});
  const Matrix expected = attention::attend(mask, {query, key, value}, {.heads = 3});
  CHECK((permute_rows(moved, place) - expected).cwiseAbs().maxCoeff() < 2e-6F);  // sums of up to 400 terms below 1
}

TEST_CASE("rows are permuted and permuted back", "[graph][permutation]") {
  const Matrix rows = test::random_matrix(50, 7, 1);
  const std::vector<Node> order = random_order(50, 4);
  const Matrix moved = permute_rows(rows, order);
  for (Eigen::Index i = 0; i < 50; ++i) CHECK(moved.row(i) == rows.row(order[i]));
  CHECK(permute_rows(moved, inverse(order)) == rows);
  CHECK(permute_rows(Matrix(0, 3), {}).cols() == 3);
}

TEST_CASE("anything but a permutation is refused", "[graph][permutation]") {
  const FrozenGraph graph = freeze(Csr{{0, 0, 1, 1}, {2}}, 3);
  for (const std::vector<Node>& order : {std::vector<Node>{0, 1}, {0, 1, 1}, {0, 1, 3}}) {
    CHECK_THROWS_AS(permute(graph, order), UsageError);
    CHECK_THROWS_AS(permuted_slots(graph, order), UsageError);
    CHECK_THROWS_AS(permute_rows(Matrix(3, 1), order), UsageError);
  }
  CHECK_THROWS_WITH(inverse(std::vector<Node>{0, 1, 1}), Catch::Matchers::Contains("node 1 at place 2"));
  CHECK_THROWS_AS(permute(freeze(Csr{{0, 1}, {1}}, 2), std::vector<Node>{0}), UsageError);
}

TEST_CASE("permuted graphs are the same at any number of threads", "[graph][permutation]") {
  const FrozenGraph graph = freeze(uniform_graph(4000, 5, 1), 4000);
  const std::vector<Node> order = random_order(4000, 2);
  const int before = threads();
  set_threads(1);
  const FrozenGraph one = permute(graph, order);
  for (const int count : {2, 3}) {
    set_threads(count);
    check_equal(permute(graph, order), one);
  }
  set_threads(before);
}
