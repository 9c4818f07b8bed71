#include "edgewise/data/edge_statistics.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/random.hpp"

using namespace edgewise;
using graph::Direction;
using graph::Node;

namespace {

struct KnownEdge {
  Node source, target;
  float label;
};

/// The mean label of the edges from one node to another, by looking at all.
std::optional<float> label_between(const std::vector<KnownEdge>& edges, Node source, Node target, bool is_directed) {
  double sum = 0;
  int count = 0;
  for (const KnownEdge& edge : edges) {
    const bool is_forward = edge.source == source && edge.target == target;
    const bool is_backward = !is_directed && edge.source == target && edge.target == source;
    for (const bool is_there : {is_forward, is_backward && source != target})
      if (is_there) {
        sum += edge.label;
        ++count;
      }
  }
  if (count == 0) return std::nullopt;
  return static_cast<float>(sum / count);
}

data::EdgeStatistics statistics_of(const std::vector<KnownEdge>& edges, std::size_t nodes, Direction direction) {
  std::vector<Node> sources, targets;
  Matrix labels(static_cast<Eigen::Index>(edges.size()), 1);
  for (const KnownEdge& edge : edges) {
    labels(static_cast<Eigen::Index>(sources.size()), 0) = edge.label;
    sources.push_back(edge.source);
    targets.push_back(edge.target);
  }
  return {nodes, sources, targets, labels, direction};
}

/// A number of a pair by its name.
class NumbersOfPair {
 public:
  NumbersOfPair(const data::EdgeStatistics& statistics, Node source, Node target, Direction direction)
      : names_(data::EdgeStatistics::names(std::vector<std::string>{"x"}, direction)), values_(names_.size()) {
    statistics.fill(source, target, values_.data());
  }
  float operator[](const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    REQUIRE(found != names_.end());
    return values_[static_cast<std::size_t>(found - names_.begin())];
  }

 private:
  std::vector<std::string> names_;
  std::vector<float> values_;
};

constexpr std::size_t kNodes = 9;

std::vector<KnownEdge> random_edges(std::size_t count) {
  Random random(11, Stream::generate);
  std::vector<KnownEdge> edges;
  for (std::size_t i = 0; i < count; ++i) {
    const auto source = static_cast<Node>(random.below(kNodes)), target = static_cast<Node>(random.below(kNodes));
    edges.push_back({source, target, static_cast<float>(random.normal())});
  }
  return edges;
}

}  // namespace

TEST_CASE("the numbers of a pair are those of a search through all edges", "[data][edge_statistics]") {
  const auto direction = GENERATE(Direction::directed, Direction::undirected);
  const bool is_directed = direction == Direction::directed;
  const std::vector<KnownEdge> edges = random_edges(30);
  const data::EdgeStatistics statistics = statistics_of(edges, kNodes, direction);
  for (Node u = 0; u < kNodes; ++u)
    for (Node v = 0; v < kNodes; ++v) {
      INFO(u << " to " << v);
      const NumbersOfPair numbers(statistics, u, v, direction);
      float sum = 0, least = 0, between = 0, product = 0, of_source = 0, of_target = 0;
      int given = 0, ways = 0;
      for (Node w = 0; w < kNodes; ++w) {
        const std::optional<float> x = label_between(edges, u, w, is_directed);
        const std::optional<float> y = label_between(edges, w, v, is_directed);
        if (x) {
          sum += *x;
          least = std::min(least, *x);
          ++given;
        }
        if (!x || !y) continue;
        ++ways;
        product += *x * *y;
        of_source += *x;
        of_target += *y;
      }
      const std::string by = is_directed ? "given by source" : "of source";
      CHECK(numbers["labels " + by] == static_cast<float>(given));
      CHECK(numbers["x: mean " + by] == Approx(sum / static_cast<float>(given + 2)).margin(1e-6));
      CHECK(numbers["x: least " + by] == Approx(least).margin(1e-6));
      CHECK(numbers["ways source to other to target"] == static_cast<float>(ways));
      const std::string path = "x: source to other to target, ";
      CHECK(numbers[path + "product"] == Approx(product / static_cast<float>(ways + 1)).margin(1e-6));
      CHECK(numbers[path + "next to source"] == Approx(of_source / static_cast<float>(ways + 1)).margin(1e-6));
      CHECK(numbers[path + "next to target"] == Approx(of_target / static_cast<float>(ways + 1)).margin(1e-6));
      if (!is_directed) continue;
      if (const std::optional<float> back = label_between(edges, v, u, true)) between = *back;
      CHECK(numbers["x: of the opposite edge"] == Approx(between).margin(1e-6));
    }
}

TEST_CASE("biases explain labels that are sums of those of both ends", "[data][edge_statistics]") {
  const std::vector<float> own = {1, -1, 2, 0, -2, 0, 0, 1, -1}, others = {0, 1, -1, 2, 0, -2, 1, -1, 0};
  std::vector<KnownEdge> edges;
  for (Node u = 0; u < kNodes; ++u)
    for (Node v = 0; v < kNodes; ++v)
      if (u != v && !(u == 2 && v == 3)) edges.push_back({u, v, own[u] + others[v]});
  const NumbersOfPair numbers(statistics_of(edges, kNodes, Direction::directed), 2, 3, Direction::directed);
  CHECK(numbers["x: sum of biases"] == Approx(4 * 8 / 11.0).margin(0.5));  // 8 labels beside the penalty of 3
  CHECK(numbers["x: sum of biases"] == Approx(numbers["x: bias of source"] + numbers["x: bias of target"]));
}

TEST_CASE("factors explain labels that are products of numbers of both ends", "[data][edge_statistics]") {
  const auto direction = GENERATE(Direction::directed, Direction::undirected);
  constexpr Node kMany = 60;
  const auto own = [](Node node) { return node % 2 == 0 ? 1.0F : -1.0F; };
  const auto taste = [&](Node u, Node v) {
    return direction == Direction::directed ? own(u) * own(v / 2) : own(u) * own(v);
  };
  std::vector<KnownEdge> edges;
  for (Node u = 0; u < kMany; ++u)
    for (Node v = 0; v < kMany; ++v)
      if (u != v && (u + v) % 5 != 0) edges.push_back({u, v, 3 * taste(u, v)});
  const data::EdgeStatistics statistics = statistics_of(edges, kMany, direction);
  for (const auto& [u, v] : {std::pair<Node, Node>{2, 3}, {3, 7}, {14, 21}}) {
    const NumbersOfPair numbers(statistics, u, v, direction);
    CHECK(numbers["x: sum of biases"] == Approx(0).margin(0.3));
    CHECK(numbers["x: sum of biases and factors"] == Approx(3 * taste(u, v)).margin(0.9));  // shrunk by the penalty
  }
  const NumbersOfPair one(statistics, 2, 3, direction), other(statistics, 3, 2, direction);
  if (direction == Direction::undirected)
    CHECK(one["x: sum of biases and factors"] == Approx(other["x: sum of biases and factors"]));
  const data::EdgeStatistics without(kMany, {}, {}, Matrix(0, 1), direction, data::EdgeStatistics::Factors::no);
  const auto names = data::EdgeStatistics::names(std::vector<std::string>{"x"}, direction,
                                                 data::EdgeStatistics::Factors::no);
  CHECK(std::ranges::count(names, "x: sum of biases and factors") == 0);
  std::vector<float> row(names.size() + 1, 7);
  without.fill(0, 1, row.data());
  CHECK(row[names.size() - 1] == 0);
  CHECK(row.back() == 7);
}

TEST_CASE("nothing is known of unknown nodes, and without edges", "[data][edge_statistics]") {
  const auto direction = GENERATE(Direction::directed, Direction::undirected);
  const std::vector<std::string> names = data::EdgeStatistics::names(std::vector<std::string>{"x", "y"}, direction);
  const data::EdgeStatistics none(2, {}, {}, Matrix(0, 2), direction);
  std::vector<float> row(names.size(), 7);
  none.fill(0, 1, row.data());
  CHECK(std::all_of(row.begin(), row.end(), [](float x) { return x == 0; }));
  const data::EdgeStatistics one = statistics_of({{0, 1, 3}}, 2, direction);
  row.assign(names.size(), 7);
  one.fill(data::EdgeStatistics::kUnknown, data::EdgeStatistics::kUnknown, row.data());
  CHECK(row.front() == 0);
}

TEST_CASE("of repeated edges the mean counts", "[data][edge_statistics]") {
  const data::EdgeStatistics twice = statistics_of({{0, 1, 1}, {0, 1, 3}, {2, 0, 5}}, 3, Direction::directed);
  const NumbersOfPair numbers(twice, 0, 2, Direction::directed);
  CHECK(numbers["labels given by source"] == 1);
  CHECK(numbers["x: mean given by source"] == Approx(2 / 3.0));
  CHECK(numbers["x: of the opposite edge"] == 5);
}
