#include "edgewise/graph/link_numbers.hpp"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/parallel.hpp"
#include "support/random_ties.hpp"

using namespace edgewise;
using namespace edgewise::graph;
using Catch::Matchers::Contains;

namespace {

using Nodes = std::vector<Node>;
using Table = Eigen::MatrixXd;
using Tables = std::map<std::string, Table>;

/// A, the symmetric 0/1 matrix.
Table adjacency(const Ties& ties) {
  const auto nodes = static_cast<Eigen::Index>(ties.node_count());
  Table matrix = Table::Zero(nodes, nodes);
  for (Node node = 0; node < ties.node_count(); ++node)
    for (const Node other : ties.neighbours(node)) matrix(node, other) = 1;
  return matrix;
}

/// Divides by numbers of which some may be 0, and then gives 0.
Eigen::ArrayXd inverse(const Eigen::ArrayXd& values) { return (values > 0).select(1 / values, 0); }

/// A walk that returns to its start with probability 0.15 at each step, and always from a node without neighbours:
/// [start, end].
Table pageranks(const Table& a) {
  const Eigen::ArrayXd degrees = a.rowwise().sum();
  Table walk = inverse(degrees).matrix().asDiagonal() * a;
  const Table one = Table::Identity(a.rows(), a.cols());
  for (Eigen::Index node = 0; node < a.rows(); ++node)
    if (degrees[node] == 0) walk(node, node) = 1;  // reached only from itself
  return 0.15 * (one - 0.85 * walk).inverse();
}

/// The same numbers by products of dense matrices, [nodes, nodes] each.
Tables dense_numbers(const Ties& ties) {
  const Table a = adjacency(ties);
  const Eigen::ArrayXd degrees = a.rowwise().sum();
  const Table of_row = degrees.matrix().replicate(1, a.cols()), of_column = of_row.transpose();
  const Table smaller = of_row.cwiseMin(of_column), larger = of_row.cwiseMax(of_column);
  const Eigen::VectorXd roots = inverse(degrees).sqrt();
  const Table step = roots.asDiagonal() * a * roots.asDiagonal(), common = a * a;
  const Table either = smaller + larger - common;
  const Table ranks = pageranks(a);
  const auto of_rows = [&](const Eigen::ArrayXd& values) { return Table(values.matrix().replicate(1, a.cols())); };
  const Table beside = of_rows((a * degrees.matrix()).array() * inverse(degrees));
  const Table visits = of_rows(a * inverse(degrees).matrix());
  const auto smaller_of = [](const Table& rows) { return Table(rows.cwiseMin(rows.transpose())); };
  const auto larger_of = [](const Table& rows) { return Table(rows.cwiseMax(rows.transpose())); };
  Tables numbers = {
      {"common_neighbours", common},
      {"adamic_adar", a * inverse(degrees.max(2).log()).matrix().asDiagonal() * a},
      {"resource_allocation", a * inverse(degrees).matrix().asDiagonal() * a},
      {"jaccard", (either.array() > 0).select(common.array() / either.array(), 0)},
      {"preferential_attachment", (1 + smaller.array() * larger.array()).log()},
      {"katz", 0.05 * a + 0.0025 * a * a + 0.000125 * a * a * a},
      {"two_steps", step * step},
      {"three_steps", step * step * step},
      {"smaller_degree", (1 + smaller.array()).log()},
      {"larger_degree", (1 + larger.array()).log()},
      {"smaller_neighbour_degree", (1 + smaller_of(beside).array()).log()},
      {"larger_neighbour_degree", (1 + larger_of(beside).array()).log()},
      {"smaller_visits", smaller_of(visits)},
      {"larger_visits", larger_of(visits)},
      {"reverse_tie", Table::Zero(a.rows(), a.cols())},
      {"source_degree", (1 + of_row.array()).log()},
      {"target_degree", (1 + of_column.array()).log()},
      {"nearest_targets", a * roots.asDiagonal() * a * a * roots.asDiagonal()},
      {"nearest_sources", roots.asDiagonal() * a * a * roots.asDiagonal() * a},
      {"personalised_pagerank", ranks + ranks.transpose()}};
  for (Node u = 0; u < ties.node_count() && ties.direction() == Direction::directed; ++u)
    for (const Node v : ties.sources(u)) numbers["reverse_tie"](u, v) = 1;
  return numbers;
}

/// The error that is promised for PageRank; all else is exact but for rounding to float.
double allowed_error(const LinkNumber& number, const Ties& ties, Node u, Node v, double value) {
  const auto degrees = static_cast<double>(ties.degree(u) + ties.degree(v));
  return (number.needs_pagerank ? 1e-5 * degrees : 0) + 1e-6 * (1e-3 + std::abs(value));
}

void check_pair(const Ties& ties, const Tables& expected, Node u, Node v, const float* found) {
  for (const LinkNumber& number : all_link_numbers()) {
    const double value = expected.at(std::string(number.name))(u, v);
    const float got = *found++;
    if (u == v && number.needs_pagerank) continue;  // not defined
    INFO(number.name << " of " << u << " and " << v << ": " << got << ", expected " << value);
    CHECK(std::abs(static_cast<double>(got) - value) <= allowed_error(number, ties, u, v, value));
  }
}

/// All numbers of all pairs, and those without the own tie of each pair that has one.
void check_against_dense(const test::TieLists& lists, Direction direction) {
  const Ties ties = lists.ties(direction);
  const test::TieLists pairs = test::all_pairs(lists.nodes);
  const Matrix kept = link_numbers(ties, pairs.sources, pairs.targets, all_link_numbers());
  const Matrix omitted = link_numbers(ties, pairs.sources, pairs.targets, all_link_numbers(), OwnTie::omit);
  const Tables expected = dense_numbers(ties);
  for (Eigen::Index i = 0; i < kept.rows(); ++i) {
    const Node u = pairs.sources[static_cast<std::size_t>(i)], v = pairs.targets[static_cast<std::size_t>(i)];
    check_pair(ties, expected, u, v, kept.row(i).data());
    if (!ties.contains(u, v)) {
      CHECK(kept.row(i) == omitted.row(i));
      continue;
    }
    const Ties left = lists.without(u, v, direction).ties(direction);
    check_pair(left, dense_numbers(left), u, v, omitted.row(i).data());
  }
}

test::TieLists star_lists(std::size_t leaves) {
  test::TieLists lists{.nodes = leaves + 1};
  for (Node leaf = 1; leaf <= leaves; ++leaf) {
    lists.sources.push_back(0);
    lists.targets.push_back(leaf);
  }
  return lists;
}

}  // namespace

TEST_CASE("Numbers of pairs agree with dense matrices", "[graph][link_numbers]") {
  for (const Direction direction : {Direction::directed, Direction::undirected}) {
    check_against_dense(test::random_tie_lists(24, 40, 1), direction);
    check_against_dense(test::random_tie_lists(16, 90, 2), direction);
    check_against_dense(star_lists(6), direction);
    check_against_dense(test::all_pairs(7), direction);  // with loops
    check_against_dense({.nodes = 2, .sources = {0}, .targets = {1}}, direction);
    check_against_dense({.nodes = 3}, direction);
  }
}

TEST_CASE("Numbers of pairs agree with networkx", "[graph][link_numbers]") {
  const json::Value golden = json::parse_file(EDGEWISE_SOURCE_DIR "/tests/golden/link_numbers.json");
  const auto lists_of = [](const json::Value& pairs, std::size_t nodes) {
    test::TieLists lists{.nodes = nodes};
    for (const json::Value& pair : pairs.as_array()) {
      lists.sources.push_back(static_cast<Node>(pair.as_numbers()[0]));
      lists.targets.push_back(static_cast<Node>(pair.as_numbers()[1]));
    }
    return lists;
  };
  for (const json::Value& expected : golden.at("cases").as_array()) {
    const auto nodes = static_cast<std::size_t>(expected.at("nodes").as_number());
    const Ties ties = lists_of(expected.at("ties"), nodes).ties(Direction::undirected);
    const test::TieLists pairs = lists_of(expected.at("pairs"), nodes);
    for (const auto& [name, own_tie] : {std::pair{"kept", OwnTie::keep}, {"omitted", OwnTie::omit}}) {
      const Matrix found = link_numbers(ties, pairs.sources, pairs.targets, all_link_numbers(), own_tie);
      for (std::size_t i = 0; i < pairs.sources.size(); ++i)
        for (std::size_t column = 0; column < all_link_numbers().size(); ++column) {
          const LinkNumber& number = all_link_numbers()[column];
          const json::Value* const value = expected.at(name).as_array()[i].find(std::string(number.name));
          if (value == nullptr) continue;
          INFO(name << " " << number.name << " of pair " << i);
          CHECK(std::abs(static_cast<double>(found(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(column))) -
                         value->as_number()) <=
                allowed_error(number, ties, pairs.sources[i], pairs.targets[i], value->as_number()));
        }
    }
  }
}

TEST_CASE("A pair has the same numbers beside any pairs and at any number of threads", "[graph][link_numbers]") {
  constexpr std::size_t kNodes = 120;
  const test::TieLists pairs = test::all_pairs(kNodes);  // more than a chunk
  for (const Direction direction : {Direction::directed, Direction::undirected}) {
    const Ties ties = test::random_tie_lists(kNodes, 500, 3).ties(direction);
    const int before = threads();
    set_threads(1);
    const Matrix one = link_numbers(ties, pairs.sources, pairs.targets, all_link_numbers(), OwnTie::omit);
    set_threads(2);
    const Matrix two = link_numbers(ties, pairs.sources, pairs.targets, all_link_numbers(), OwnTie::omit);
    set_threads(before);
    CHECK(one == two);
    for (std::size_t i = 0; i < pairs.sources.size(); i += 97) {
      const auto row = static_cast<Eigen::Index>(i);
      const Nodes u = {pairs.sources[i]}, v = {pairs.targets[i]};
      CHECK(link_numbers(ties, u, v, all_link_numbers(), OwnTie::omit) == one.row(row));
      for (std::size_t n = 0; n < all_link_numbers().size(); n += 3)  // some need less than all
        CHECK(link_numbers(ties, u, v, all_link_numbers().subspan(n, 1), OwnTie::omit)(0, 0) ==
              one(row, static_cast<Eigen::Index>(n)));
      if (direction == Direction::directed) continue;
      const std::vector<LinkNumber> symmetric = link_numbers_of(direction);
      CHECK(link_numbers(ties, v, u, symmetric, OwnTie::omit) == link_numbers(ties, u, v, symmetric, OwnTie::omit));
    }
  }
}

TEST_CASE("Numbers of pairs suit the direction and the sides of a network", "[graph][link_numbers]") {
  const auto has = [](const std::vector<LinkNumber>& numbers, std::string_view name) {
    return std::ranges::count(numbers, name, &LinkNumber::name) == 1;
  };
  const auto directed = link_numbers_of(Direction::directed), undirected = link_numbers_of(Direction::undirected);
  CHECK(has(directed, "reverse_tie"));
  CHECK_FALSE(has(undirected, "reverse_tie"));
  const auto of_sides = link_numbers_of(Direction::undirected, /*has_two_sides=*/true);
  CHECK(has(of_sides, "nearest_targets"));
  CHECK_FALSE(has(of_sides, "common_neighbours"));
  CHECK_FALSE(has(undirected, "nearest_targets"));
  for (const auto& numbers : {directed, undirected, of_sides}) {
    CHECK(has(numbers, "katz"));
    CHECK(has(numbers, "personalised_pagerank"));
  }
  const Ties ties(3, Nodes{0, 1}, Nodes{1, 2}, Direction::undirected);
  const auto called = [](std::string_view name) {
    return *std::ranges::find(all_link_numbers(), name, &LinkNumber::name);
  };
  const std::vector<LinkNumber> asked = {called("katz"), called("common_neighbours")};
  const Matrix found = link_numbers(ties, Nodes{0}, Nodes{2}, asked);
  CHECK(found(0, 0) == Approx(0.0025F));
  CHECK(found(0, 1) == 1);
  CHECK(link_numbers(ties, {}, {}, asked).rows() == 0);
  CHECK_THROWS_AS(link_numbers(ties, Nodes{0}, Nodes{3}, asked), UsageError);
}
