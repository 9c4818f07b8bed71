#include "edgewise/graph/duplicate_edges.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using graph::Combine;
using graph::Direction;
using graph::EdgeList;

namespace {

/// a-b three times (once reversed), b-c twice, c-c once.
EdgeList calls() {
  EdgeList edges;
  edges.sources = {0, 0, 1, 1, 1, 2};
  edges.targets = {1, 1, 0, 2, 2, 2};
  edges.weights = {1, 5, 7, 2, 3, 4};
  edges.features.resize(6, 4);
  edges.features << 10, 1, 0, 0,  //
      20, 0, 1, 0,                //
      60, 0, 1, 0,                //
      1, 0, 0, 0,                 //
      3, 0, 0, 1,                 //
      5, 1, 0, 0;
  return edges;
}

const std::vector<graph::FeatureColumns> kFeatures = {{0, 1, true}, {1, 3, false}};

std::vector<float> row(const EdgeList& edges, Eigen::Index edge) {
  return {edges.features.row(edge).begin(), edges.features.row(edge).end()};
}

}  // namespace

TEST_CASE("edges between the same nodes are combined", "[graph][duplicate_edges]") {
  const struct {
    Combine rule;
    std::vector<float> weights;  // of the first edges
    float number;                // of the first edge
  } kExpected[] = {{Combine::sum, {13, 5, 4}, 90},
                   {Combine::mean, {13.0f / 3, 2.5f, 4}, 30},
                   {Combine::max, {7, 3, 4}, 60},
                   {Combine::min, {1, 2, 4}, 10},
                   {Combine::count, {3, 2, 1}, 30}};
  for (const auto& [rule, weights, number] : kExpected) {
    EdgeList edges = calls();
    CHECK(combine_duplicates(edges, Direction::undirected, rule, kFeatures) == std::vector<graph::EdgeIndex>{0, 3, 5});
    CHECK(edges.weights[0] == Approx(weights[0]));
    CHECK(edges.weights[3] == Approx(weights[1]));
    CHECK(edges.weights[5] == Approx(weights[2]));
    CHECK(row(edges, 0) == std::vector<float>{number, 0, 1, 0});  // two of three have the second category
    CHECK(row(edges, 3)[3] == 1);                                 // one has no category and does not vote
    CHECK(row(edges, 5) == row(calls(), 5));
    const graph::Graph graph(graph::NodeNames::numbered(3), edges, {.direction = Direction::undirected});
    CHECK(graph.arc_count() == 5);
    CHECK(graph.duplicates_dropped() == 3);
    CHECK(weights_in_use(graph) == std::vector<float>{edges.weights[0], edges.weights[3], edges.weights[5]});
  }
}

TEST_CASE("the direction tells edges apart in a directed graph", "[graph][duplicate_edges]") {
  EdgeList edges = calls();
  CHECK(combine_duplicates(edges, Direction::directed, Combine::sum, kFeatures) ==
        std::vector<graph::EdgeIndex>{0, 2, 3, 5});
  CHECK(edges.weights[0] == 6);
  CHECK(edges.weights[2] == 7);
  CHECK(row(edges, 0) == std::vector<float>{30, 1, 0, 0});  // a tie: the first category
}

TEST_CASE("edges without weights weigh one", "[graph][duplicate_edges]") {
  for (const Combine rule : {Combine::sum, Combine::count, Combine::mean, Combine::max, Combine::min}) {
    EdgeList edges = calls();
    edges.weights.clear();
    combine_duplicates(edges, Direction::undirected, rule, {});
    const bool makes_weights = rule == Combine::sum || rule == Combine::count;
    CHECK(edges.weights == (makes_weights ? std::vector<float>{3, 3, 3, 2, 2, 1} : std::vector<float>{}));
  }
  EdgeList none;
  CHECK(combine_duplicates(none, Direction::undirected, Combine::sum, {}).empty());
}

TEST_CASE("duplicates that differ are found", "[graph][duplicate_edges]") {
  const graph::DifferingDuplicates found = differing_duplicates(calls(), Direction::undirected);
  CHECK(found.pairs == 2);
  CHECK(found.have_weights);
  CHECK(found.have_features);
  CHECK(found.first == 0);
  CHECK(found.other == 1);
  EdgeList same;
  same.sources = {2, 0, 1};
  same.targets = {2, 1, 0};
  same.weights = {1, 2, 2};
  CHECK(differing_duplicates(same, Direction::undirected).pairs == 0);
  same.weights[2] = 3;
  CHECK(differing_duplicates(same, Direction::undirected).other == 2);
  CHECK_FALSE(differing_duplicates(same, Direction::undirected).have_features);
  CHECK(differing_duplicates(same, Direction::directed).pairs == 0);
  CHECK(differing_duplicates({}, Direction::directed).pairs == 0);
}
