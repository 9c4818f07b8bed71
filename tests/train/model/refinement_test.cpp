#include "edgewise/train/model/refinement.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;

TEST_CASE("a refinement is saved as JSON, by node names", "[train][refinement]") {
  train::Refinement refinement{
      .options = {.correction = 0.8, .smoothing = 0.5, .iterations = 50}, .names = {}, .classes = {}, .edges = {}};
  for (const char* name : {"ada", "c,\"d\""}) refinement.names.add(name);
  refinement.classes = {1, 0};
  const json::Value value = json::parse(json::dump(refinement.to_json()), "model");
  const train::Refinement read = train::Refinement::from_json(value, 2);
  CHECK(read.classes == refinement.classes);
  CHECK(read.names[1] == "c,\"d\"");
  CHECK(read.options.smoothing == 0.5);
  CHECK_THROWS_AS(train::Refinement::from_json(value, 1), ModelError);
  CHECK_THROWS_AS(train::Refinement::from_json(json::parse("{}", "m"), 2), ModelError);
  for (const auto& [member, text] : {std::pair{"smoothing", "1.5"}, {"correction", "-1"}, {"iterations", "0"},
                                     {"classes", "[4294967296, 0]"}, {"classes", "[0]"}}) {
    json::Value damaged = value;
    damaged.set(member, json::parse(text, "m"));
    INFO(member << ' ' << text);
    CHECK_THROWS_AS(train::Refinement::from_json(damaged, 2), ModelError);
  }

  // A graph with other nodes: those known in training count, in any order.
  graph::NodeNames names;
  for (const char* name : {"eve", "ada", "bob"}) names.add(name);
  graph::EdgeList edges;
  edges.sources = {0};
  edges.targets = {1};
  const graph::Graph graph(std::move(names), std::move(edges), {});
  const Matrix refined = train::refine(read, graph, Matrix::Constant(3, 2, 0.5F));
  CHECK(refined(1, 1) > 0.8F);
  CHECK(refined(0, 1) > 0.6F);
  CHECK(refined(2, 1) == Approx(0.5));
}

TEST_CASE("known labels do not spread in another network", "[train][refinement]") {
  const auto ring = [](const std::string& prefix, graph::Node step, graph::Node nodes = 20) {
    graph::NodeNames names;
    graph::EdgeList edges;
    for (graph::Node i = 0; i < nodes; ++i) {
      names.add(prefix + std::to_string(i));
      edges.sources.push_back(i);
      edges.targets.push_back((i + step) % nodes);
    }
    return graph::Graph(std::move(names), std::move(edges), {});
  };
  const graph::Graph graph = ring("p", 1);
  train::Dataset data;
  data.graph = graph;
  data::Split split;
  for (graph::Node i = 0; i < 20; ++i) {
    data.labels.classes.push_back(i < 10 ? 0 : 1);
    split.push_back(i % 2 == 0 ? data::Role::train : data::Role::validation);
  }
  data.labels.names = {"a", "b"};
  const auto best = train::best_refinement(data, split, Matrix::Constant(20, 2, 0.5F), "accuracy");
  REQUIRE(best);
  const json::Value value = json::parse(json::dump(best->refinement.to_json()), "model");
  const train::Refinement refinement = train::Refinement::from_json(value, 2);
  CHECK(train::foreign_network(refinement, graph).empty());
  CHECK(train::foreign_network(refinement, ring("p", 1, 30)).empty());  // the same network, grown
  CHECK(train::foreign_network(refinement, ring("p", 7)).starts_with("nodes are named as in training, but 20 of 20"));
  CHECK(train::foreign_network(refinement, ring("q", 1)).starts_with("none of the nodes with labels known in"));
}
