#include "edgewise/data/encodings.hpp"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/permutation.hpp"
#include "support/graph_unions.hpp"

using namespace edgewise;
using namespace edgewise::data;
using Catch::Matchers::Contains;
using graph::Node;
using test::dense_neighbours;
using test::graph_of;
using test::Union;

namespace {

const std::vector<Node> kSizes = {1, 0, 7, 30, 2, 64, 65, 9, 150, 0};

Eigen::MatrixXd dense_laplacian(const graph::Graph& graph) {
  const Eigen::MatrixXd neighbours = dense_neighbours(graph);
  const Eigen::VectorXd degrees = neighbours.rowwise().sum();
  const Eigen::VectorXd roots = degrees.unaryExpr([](double d) { return d > 0 ? 1 / std::sqrt(d) : 0; });
  return Eigen::MatrixXd(Eigen::MatrixXd::Identity(neighbours.rows(), neighbours.rows())) -
         Eigen::MatrixXd(roots.asDiagonal() * neighbours * roots.asDiagonal());
}

/// The vectors are orthonormal, and L v = lambda v with the smallest non-trivial lambdas.
void check_vectors(const graph::Graph& connected, const Matrix& encoding, double tolerance = 2e-5) {
  const Eigen::MatrixXd laplacian = dense_laplacian(connected);
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(laplacian).eigenvalues();
  const Eigen::MatrixXd vectors = encoding.cast<double>();
  const auto wanted = std::min<Eigen::Index>(vectors.cols(), vectors.rows() - 1);
  for (Eigen::Index j = 0; j < wanted; ++j) {
    CAPTURE(connected.node_count(), j);
    const Eigen::VectorXd v = vectors.col(j);
    CHECK(v.norm() == Approx(1).margin(tolerance));
    CHECK(v.dot(laplacian * v) == Approx(values[j + 1]).margin(tolerance));
    CHECK((laplacian * v - values[j + 1] * v).norm() < tolerance);
    for (Eigen::Index i = 0; i < j; ++i) CHECK(std::abs(v.dot(vectors.col(i))) < tolerance);
    Eigen::Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    CHECK((v[largest] > 0 || v.maxCoeff() > -v[largest] * 0.9999 - 1e-7));
  }
  for (Eigen::Index j = wanted; j < vectors.cols(); ++j) CHECK(vectors.col(j).isZero(0));
}

Union bridged(const std::vector<Node>& sizes) {  // random graphs, connected by a path through each
  Union all = test::random_union(sizes, 3, 5);
  graph::EdgeList edges = all.graph.edges();
  for (std::size_t g = 0; g + 1 < all.offsets.size(); ++g)
    for (Node node = all.offsets[g] + 1; node < all.offsets[g + 1]; ++node) {
      edges.sources.push_back(node - 1);
      edges.targets.push_back(node);
    }
  all.graph = graph::Graph(graph::NodeNames::numbered(all.offsets.back()), edges);
  return all;
}

}  // namespace

TEST_CASE("Degrees by hand", "[data][encodings]") {
  const graph::Graph star = graph_of(5, {{0, 1}, {0, 2}, {0, 3}, {3, 3}, {2, 0}});
  const Matrix degrees = degree_encoding(star, std::vector<Node>{0, 5});
  REQUIRE(degrees.rows() == 5);
  CHECK(degrees(0, 0) == Approx(std::log(4.0)));
  CHECK(degrees(1, 0) == Approx(std::log(2.0)));
  CHECK(degrees(2, 0) == Approx(std::log(2.0)));  // a repeated edge does not count
  CHECK(degrees(3, 0) == Approx(std::log(3.0)));  // its self loop counts once
  CHECK(degrees(4, 0) == 0);
  const graph::Graph arc(graph::NodeNames::numbered(2), test::edge_list({{0, 1}}),
                         {.direction = graph::Direction::directed});
  CHECK(degree_encoding(arc, std::vector<Node>{0, 2})(1, 0) == Approx(std::log(2.0)));
}

TEST_CASE("Random walks by hand", "[data][encodings]") {
  // A path of three: a walk is back after two steps always from the middle, half of the time from the ends.
  const Matrix path = random_walk_encoding(graph_of(4, test::path(3)), std::vector<Node>{0, 3, 4}, 4);
  Matrix expected(4, 4);
  expected << 0, 0.5, 0, 0.5, 0, 1, 0, 1, 0, 0.5, 0, 0.5, 0, 0, 0, 0;
  CHECK((path - expected).cwiseAbs().maxCoeff() < 1e-6);
  const Matrix triangle = random_walk_encoding(graph_of(3, test::ring(3)), std::vector<Node>{0, 3}, 3);
  CHECK(triangle(1, 1) == Approx(0.5));
  CHECK(triangle(2, 2) == Approx(0.25));
  CHECK(random_walk_encoding(graph_of(0, {}), std::vector<Node>{0, 0}, 3).rows() == 0);
  CHECK(random_walk_encoding(graph_of(2, {{0, 1}}), std::vector<Node>{0, 2}, 0).cols() == 0);
}

TEST_CASE("Random walks equal powers of the dense matrix", "[data][encodings]") {
  const Union all = test::random_union(kSizes, 2.5, 1);
  const Matrix encoding = random_walk_encoding(all.graph, all.offsets, 9);
  Eigen::MatrixXd step = dense_neighbours(all.graph);
  for (Eigen::Index u = 0; u < step.cols(); ++u)
    if (const double degree = step.col(u).sum(); degree > 0) step.col(u) /= degree;
  Eigen::MatrixXd power = step;
  for (Eigen::Index s = 0; s < 9; ++s, power = (power * step).eval())
    CHECK((encoding.col(s).cast<double>() - power.diagonal()).cwiseAbs().maxCoeff() < 1e-6);
}

namespace {

/// The probability that a walk of s steps on a ring of more than s nodes is back: "s choose s / 2" of 2^s.
double return_on_ring(int steps) {
  double probability = steps % 2 == 0 ? 1 : 0;
  for (int i = 1; i <= steps / 2; ++i) probability *= (steps / 2.0 + i) / i / 4;
  return probability;
}

}  // namespace

TEST_CASE("Random walks on a large graph cost what they reach", "[data][encodings]") {
  // Two rings; a million nodes would take a day if each walk cost all nodes.
  constexpr Node kNodes = 500'000;
  auto pairs = test::ring(kNodes);
  for (const auto& [source, target] : test::ring(kNodes)) pairs.emplace_back(source + kNodes, target + kNodes);
  const Matrix walks = random_walk_encoding(graph_of(2 * kNodes, pairs), std::vector<Node>{0, kNodes, 2 * kNodes}, 6);
  for (int step = 1; step <= 6; ++step) {
    CHECK(walks(0, step - 1) == Approx(return_on_ring(step)).margin(1e-6));
    CHECK((walks.col(step - 1).array() - walks(0, step - 1)).abs().maxCoeff() < 1e-6F);
  }
}

TEST_CASE("Random walks around a large hub by hand", "[data][encodings]") {
  // From the hub a walk is back after two steps always, from one of n leaves with probability 1 / n.
  const Matrix walks = random_walk_encoding(graph_of(3000, test::star(3000)), std::vector<Node>{0, 3000}, 4);
  for (const int step : {2, 4}) {
    CHECK(walks(0, step - 1) == Approx(1));
    CHECK(walks(2999, step - 1) == Approx(1.0 / 2999));
  }
}

TEST_CASE("Random walks that lead everywhere on a large graph are refused before the work", "[data][encodings]") {
  constexpr Node kNodes = 1'000'000;
  const graph::Graph star = graph_of(kNodes, test::star(kNodes));
  const std::vector<Node> offsets = {0, kNodes};
  CHECK_THROWS_WITH(random_walk_encoding(star, offsets, 4),
                    Contains("random-walk encoding: 4 steps on a graph of 1000000 nodes lead") &&
                        Contains("take fewer steps"));
  CHECK(random_walk_encoding(star, offsets, 2)(1, 1) == Approx(1.0 / (kNodes - 1)));
}

TEST_CASE("Laplacian vectors by hand", "[data][encodings]") {
  const Matrix pair = laplacian_encoding(graph_of(2, {{0, 1}}), std::vector<Node>{0, 2}, 2);
  CHECK(pair(0, 0) == Approx(std::sqrt(0.5)));  // equal in size to the other, and first
  CHECK(pair(1, 0) == Approx(-std::sqrt(0.5)));
  CHECK(pair.col(1).isZero(0));
  // A path of three: eigenvalue 1 with (1, 0, -1), eigenvalue 2 with (1, -sqrt(2), 1), sign reversed.
  const Matrix path = laplacian_encoding(graph_of(3, test::path(3)), std::vector<Node>{0, 3}, 2);
  CHECK(path(0, 0) == Approx(std::sqrt(0.5)));
  CHECK(path(1, 0) == Approx(0).margin(1e-6));
  CHECK(path(1, 1) == Approx(std::sqrt(0.5)));
  CHECK(path(0, 1) == Approx(-0.5));
  CHECK(laplacian_encoding(graph_of(1, {{0, 0}}), std::vector<Node>{0, 1}, 3) == Matrix::Zero(1, 3));
  CHECK(laplacian_encoding(graph_of(0, {}), std::vector<Node>{0}, 3).rows() == 0);
}

TEST_CASE("Laplacian vectors are the eigenvectors with the smallest eigenvalues", "[data][encodings]") {
  for (const Node nodes : {2U, 3U, 7U, 64U, 65U, 128U, 129U, 400U}) {
    const std::vector<Node> offsets = {0, nodes};
    for (const auto& pairs : {test::path(nodes), test::star(nodes)})
      check_vectors(graph_of(nodes, pairs), laplacian_encoding(graph_of(nodes, pairs), offsets, 6));
    if (nodes > 2) {  // every eigenvalue is double
      const graph::Graph ring = graph_of(nodes, test::ring(nodes));
      check_vectors(ring, laplacian_encoding(ring, offsets, 6));
      check_vectors(ring, laplacian_encoding(ring, offsets, 7));
    }
    const Union random = bridged({nodes});
    check_vectors(random.graph, laplacian_encoding(random.graph, offsets, 10));
  }
}

TEST_CASE("Laplacian vectors of a component equal those of it as a graph", "[data][encodings]") {
  // A ring of five, a path of three and a single node in one graph.
  const graph::Graph parted = graph_of(9, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {5, 6}, {6, 7}});
  const Matrix encoding = laplacian_encoding(parted, std::vector<Node>{0, 9}, 3);
  check_vectors(graph_of(5, test::ring(5)), encoding.topRows(5));
  check_vectors(graph_of(3, test::path(3)), encoding.middleRows(5, 3));
  CHECK(encoding.row(8).isZero(0));
  CHECK(encoding == laplacian_encoding(parted, std::vector<Node>{0, 5, 8, 9}, 3));
}

TEST_CASE("Encodings follow the nodes in a permutation", "[data][encodings]") {
  const Union all = bridged({40, 200});
  std::vector<Node> order(240);
  for (Node i = 0; i < 240; ++i) order[i] = i;
  Random random(3, Stream::shuffle);
  shuffle(std::span(order).first(40), random);
  shuffle(std::span(order).last(200), random);
  const std::vector<Node> place = graph::inverse(order);
  graph::EdgeList edges = all.graph.edges();
  for (Node& source : edges.sources) source = place[source];
  for (Node& target : edges.targets) target = place[target];
  const graph::Graph moved(graph::NodeNames::numbered(240), std::move(edges));
  const auto same = [&](const Matrix& a, const Matrix& b) {
    for (Node i = 0; i < 240; ++i)
      CHECK((b.row(i) - a.row(order[i])).cwiseAbs().maxCoeff() < 1e-4F);
  };
  same(degree_encoding(all.graph, all.offsets), degree_encoding(moved, all.offsets));
  same(random_walk_encoding(all.graph, all.offsets, 8), random_walk_encoding(moved, all.offsets, 8));
  same(laplacian_encoding(all.graph, all.offsets, 4), laplacian_encoding(moved, all.offsets, 4));
}

TEST_CASE("Encodings have the same bits at one and two threads", "[data][encodings]") {
  const Union all = test::random_union({30, 5, 200, 1, 64, 90, 300, 12, 12, 12, 12, 12}, 4, 2);
  const int before = threads();
  set_threads(1);
  const Matrix walks = random_walk_encoding(all.graph, all.offsets, 6);
  const Matrix vectors = laplacian_encoding(all.graph, all.offsets, 5);
  set_threads(2);
  CHECK(walks == random_walk_encoding(all.graph, all.offsets, 6));
  CHECK(vectors == laplacian_encoding(all.graph, all.offsets, 5));
  set_threads(before);
}

TEST_CASE("Random signs are drawn for each graph and column", "[data][encodings]") {
  std::vector<Node> offsets = {0};
  for (Node g = 0; g < 500; ++g) offsets.push_back(offsets.back() + g % 3);
  const Matrix ones = Matrix::Ones(offsets.back(), 4);
  Matrix columns = ones, again = ones, other = ones;
  flip_signs(columns, offsets, random_key(1, Stream::shuffle, 0));
  flip_signs(again, offsets, random_key(1, Stream::shuffle, 0));
  flip_signs(other, offsets, random_key(1, Stream::shuffle, 1));
  CHECK(columns == again);
  CHECK(columns != other);
  CHECK(columns.cwiseAbs() == ones);
  for (std::size_t g = 0; g < 500; ++g)
    for (Node node = offsets[g] + 1; node < offsets[g + 1]; ++node) CHECK(columns.row(node) == columns.row(node - 1));
  for (Eigen::Index column = 0; column < 4; ++column) CHECK(std::abs(columns.col(column).mean()) < 0.15F);
  flip_signs(again, offsets, random_key(1, Stream::shuffle, 0));
  CHECK(again == ones);
}

TEST_CASE("Encodings refuse offsets that do not fit the graph", "[data][encodings]") {
  const graph::Graph path = graph_of(3, test::path(3));
  CHECK_THROWS_WITH(degree_encoding(path, std::vector<Node>{0, 2}), Contains("degree encoding: expected offsets"));
  CHECK_THROWS_WITH(degree_encoding(path, std::vector<Node>{}), Contains("expected offsets"));
  CHECK_THROWS_WITH(random_walk_encoding(path, std::vector<Node>{0, 2, 3}, 2), Contains("leaves graph 0"));
  CHECK_THROWS_AS(laplacian_encoding(path, std::vector<Node>{0, 2, 1, 3}, 2), UsageError);
}

TEST_CASE("signs are refused for offsets that are not those of the rows", "[data][encodings]") {
  Matrix columns = Matrix::Ones(5, 2);
  for (const std::vector<Node>& offsets : {std::vector<Node>{0, 6}, std::vector<Node>{0, 6, 5}, std::vector<Node>{}})
    CHECK_THROWS_AS(flip_signs(columns, offsets, 1), UsageError);
}
