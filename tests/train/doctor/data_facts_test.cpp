#include "edgewise/train/doctor/data_facts.hpp"

#include <catch2/catch.hpp>

#include "support/graph_of.hpp"

using namespace edgewise;

TEST_CASE("edges are counted as given", "[train][data_facts]") {
  // 0-1 twice and once reversed, 1-2, a self loop at 2 twice, 3-4; 5 is isolated.
  const graph::Graph graph = test::graph_of(6, {0, 0, 1, 1, 2, 2, 3}, {1, 1, 0, 2, 2, 2, 4});
  const train::EdgeFacts facts = train::edge_facts(graph);
  CHECK(facts.edges == 7);
  CHECK(facts.pairs == 3);
  CHECK(facts.repeated == 2);
  CHECK(facts.reversed == 1);
  CHECK(facts.self_loops == 2);
  CHECK(facts.isolated == 1);
  CHECK(facts.components == 3);
  CHECK(facts.largest_component == 3);
  CHECK(facts.largest_degree == 2);
  CHECK(facts.largest_degree_node == "1");
  CHECK(facts.smallest_degree == 0);
  CHECK(facts.mean_degree == Approx(1));
  CHECK(facts.median_degree == 1);
  CHECK(train::edge_facts(test::graph_of(4, {0, 1, 2}, {1, 2, 3})).median_degree == 1.5);
  CHECK(train::edge_facts(test::graph_of(3, {0, 1}, {1, 2})).median_degree == 1);
  CHECK(train::edge_facts(test::graph_of(0, {}, {})).components == 0);
}

TEST_CASE("labels are counted", "[train][data_facts]") {
  const data::Labels labels{
      .task = data::Task::classification, .names = {"no", "yes"}, .classes = {0, 0, 1, -1}, .targets = {}};
  CHECK(train::label_counts(labels) == std::vector<std::pair<std::string, std::uint64_t>>{{"no", 2}, {"yes", 1}});
}
