#include "edgewise/train/jobs/refinement.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;

TEST_CASE("a refinement is kept as JSON, by the names of nodes", "[train][refinement]") {
  train::Refinement refinement{
      .options = {.correction = 0.8, .smoothing = 0.5, .iterations = 50}, .names = {}, .classes = {}};
  for (const char* name : {"ada", "c,\"d\""}) refinement.names.add(name);
  refinement.classes = {1, 0};
  const json::Value value = json::parse(json::dump(refinement.to_json()), "model");
  const train::Refinement read = train::Refinement::from_json(value, 2);
  CHECK(read.classes == refinement.classes);
  CHECK(read.names[1] == "c,\"d\"");
  CHECK(read.options.smoothing == 0.5);
  CHECK_THROWS_AS(train::Refinement::from_json(value, 1), ModelError);
  CHECK_THROWS_AS(train::Refinement::from_json(json::parse("{}", "m"), 2), ModelError);

  // A graph with other nodes: those that training knew count, wherever they stand.
  graph::NodeNames names;
  for (const char* name : {"eve", "ada", "bob"}) names.add(name);
  graph::EdgeList edges;
  edges.sources = {0};
  edges.targets = {1};
  const graph::Graph graph(std::move(names), std::move(edges), {});
  const Matrix refined = train::refine(read, graph, Matrix::Constant(3, 2, 0.5F));
  CHECK(refined(1, 1) > 0.8F);
  CHECK(refined(0, 1) > 0.6F);
  CHECK(refined(2, 1) == 0.5F);
}
