#include "edgewise/graph/random_graphs.hpp"

#include <catch2/catch.hpp>
#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

/// Checks that rows are ascending, without repetitions, among `nodes` nodes.
void check_rows(const Csr& csr, std::size_t nodes, bool has_loops = false) {
  REQUIRE(csr.rows() == nodes);
  REQUIRE(csr.offsets.back() == csr.slots());
  bool is_ascending = true, is_free_of_loops = true;
  for (std::size_t row = 0; row < nodes; ++row) {
    const std::span<const Node> columns = csr.row(row);
    is_ascending = is_ascending && std::ranges::is_sorted(columns, std::ranges::less_equal{});
    is_free_of_loops = is_free_of_loops && !std::ranges::binary_search(columns, row);
  }
  CHECK(is_ascending);
  CHECK((has_loops || is_free_of_loops));
  CHECK(std::ranges::all_of(csr.columns, [&](Node column) { return column < nodes; }));
}

std::vector<std::size_t> sorted_degrees(const Csr& csr) {
  std::vector<std::size_t> degrees(csr.rows());
  for (std::size_t row = 0; row < csr.rows(); ++row) degrees[row] = csr.row(row).size();
  std::ranges::sort(degrees, std::ranges::greater{});
  return degrees;
}

}  // namespace

TEST_CASE("uniform graphs have the requested degree everywhere", "[graph][random_graphs]") {
  for (const std::size_t degree : {0, 1, 7, 400, 600, 998, 999}) {
    const Csr graph = uniform_graph(1000, degree, 3);
    check_rows(graph, 1000);
    CHECK(graph.slots() == 1000 * degree);
    CHECK(sorted_degrees(graph).front() == degree);
    CHECK(sorted_degrees(graph).back() == degree);
  }
  // Every node is a source about equally often: 16 +- 6 standard deviations.
  const FrozenGraph graph = freeze(uniform_graph(20'000, 16, 1), 20'000);
  CHECK(sorted_degrees(graph.outgoing).front() < 16 + 6 * 4);
}

TEST_CASE("R-MAT has hubs, with random node numbers", "[graph][random_graphs]") {
  const Csr graph = rmat_graph(16'384, 16 * 16'384, 5);
  check_rows(graph, 16'384);
  CHECK(graph.slots() > 13 * 16'384);
  const std::vector<std::size_t> degrees = sorted_degrees(graph);
  CHECK(degrees.front() > 500);
  CHECK(degrees[8'192] < 12);
  std::size_t first_half = 0;
  for (std::size_t row = 0; row < 8'192; ++row) first_half += graph.row(row).size();
  CHECK(std::abs(static_cast<double>(first_half) / static_cast<double>(graph.slots()) - 0.5) < 0.1);
  check_rows(rmat_graph(1000, 5000, 1), 1000);  // not a power of two
}

TEST_CASE("communities have the requested share of edges", "[graph][random_graphs]") {
  const CommunityGraph planted = community_graph({.nodes = 10'200, .degree = 12, .inside = 0.8});
  check_rows(planted.incoming, 10'200);
  CHECK(*std::ranges::max_element(planted.community) == 25);
  CHECK(std::ranges::count(planted.community, Node{3}) == 400);
  CHECK(std::ranges::count(planted.community, Node{25}) == 200);
  std::size_t inside = 0;
  for (std::size_t row = 0; row < 10'200; ++row)
    for (const Node column : planted.incoming.row(row))
      inside += planted.community[column] == planted.community[row] ? 1 : 0;
  const double share = static_cast<double>(inside) / static_cast<double>(planted.incoming.slots());
  CHECK(share == Approx(0.8 + 0.2 * 400 / 10'200).margin(0.01));
  CHECK_FALSE(std::ranges::is_sorted(planted.community));
}

TEST_CASE("random masks have the requested density, also on the diagonal", "[graph][random_graphs]") {
  for (const double density : {0.001, 0.05, 0.5, 0.97}) {
    const Csr mask = random_mask(700, density, 4);
    check_rows(mask, 700, true);
    const double pairs = 700.0 * 700.0, deviation = std::sqrt(pairs * density * (1 - density));
    CHECK(std::abs(static_cast<double>(mask.slots()) - pairs * density) < 5 * deviation);
    std::size_t diagonal = 0, last_column = 0;
    for (std::size_t row = 0; row < 700; ++row) {
      diagonal += std::ranges::binary_search(mask.row(row), row) ? 1 : 0;
      last_column += std::ranges::binary_search(mask.row(row), Node{699}) ? 1 : 0;
    }
    const double along = 5 * std::sqrt(700 * density * (1 - density));
    CHECK(std::abs(static_cast<double>(diagonal) - 700 * density) < along);
    CHECK(std::abs(static_cast<double>(last_column) - 700 * density) < along);
  }
  CHECK(random_mask(50, 1, 1).slots() == 2500);
  check_rows(random_mask(50, 1, 1), 50, true);
  CHECK(random_mask(50, 0, 1).slots() == 0);
}

TEST_CASE("random graphs may be small", "[graph][random_graphs]") {
  for (const std::size_t nodes : {0, 1, 2}) {
    check_rows(uniform_graph(nodes, nodes == 2 ? 1 : 0, 1), nodes);
    check_rows(rmat_graph(nodes, 4, 1), nodes);
    check_rows(community_graph({.nodes = nodes}).incoming, nodes);
    check_rows(community_graph({.nodes = nodes, .community_size = 1}).incoming, nodes);
    CHECK(random_mask(nodes, 1, 1).slots() == nodes * nodes);
  }
}

TEST_CASE("parameters out of range are reported", "[graph][random_graphs]") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(uniform_graph(5, 5, 1), Contains("a degree from 0 to 4, got 5"));
  CHECK_THROWS_WITH(random_mask(5, 1.5, 1), Contains("a density from 0 to 1, got 1.5"));
  CHECK_THROWS_WITH(community_graph({.inside = -1}), Contains("a share inside"));
  CHECK_THROWS_WITH(community_graph({.community_size = 0}), Contains("a community size"));
  CHECK_THROWS_WITH(random_mask(100'000, 1, 1), Contains("edges"));
}

TEST_CASE("random graphs depend on the seed, not on the threads", "[graph][random_graphs]") {
  const auto all = [](std::uint64_t seed) {
    std::vector<Node> columns;
    for (const Csr& csr : {uniform_graph(3000, 5, seed), rmat_graph(3000, 150'000, seed),
                           community_graph({.nodes = 3000, .seed = seed}).incoming, random_mask(1500, 0.1, seed)})
      columns.insert(columns.end(), csr.columns.begin(), csr.columns.end());
    return columns;
  };
  const int before = threads();
  set_threads(1);
  const std::vector<Node> one = all(1);
  CHECK(all(2) != one);
  for (const int count : {2, 3}) {
    set_threads(count);
    CHECK(all(1) == one);
  }
  set_threads(before);
}
