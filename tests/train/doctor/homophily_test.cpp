#include "edgewise/train/doctor/homophily.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/json.hpp"
#include "support/graph_of.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::graph_of;

namespace {

std::vector<graph::Node> nodes_of(const json::Value& value) {
  std::vector<graph::Node> nodes;
  for (const json::Value& node : value.as_array()) nodes.push_back(static_cast<graph::Node>(node.as_integer()));
  return nodes;
}

}  // namespace

TEST_CASE("homophily agrees with networkx and NumPy", "[train][homophily]") {
  const json::Value golden = json::parse_file(EDGEWISE_SOURCE_DIR "/tests/golden/homophily.json");
  for (const json::Value& one : golden.at("cases").as_array()) {
    data::Labels labels;
    for (const json::Value& value : one.at("classes").as_array())
      labels.classes.push_back(static_cast<std::int32_t>(value.as_integer()));
    labels.names.resize(static_cast<std::size_t>(one.at("count").as_integer()));
    const graph::Graph graph =
        graph_of(labels.classes.size(), nodes_of(one.at("sources")), nodes_of(one.at("targets")));
    const std::optional<train::Homophily> found = train::homophily(graph, labels);
    REQUIRE(found);
    CHECK(found->pairs == static_cast<std::uint64_t>(one.at("pairs").as_integer()));
    CHECK(found->edge == Approx(one.at("edge").as_number()).epsilon(1e-12));
    CHECK(found->adjusted == Approx(one.at("adjusted").as_number()).epsilon(1e-12));
  }
}

TEST_CASE("homophily suggests a model if it is defined", "[train][homophily]") {
  data::Labels labels;
  labels.names = {"a", "b"};
  labels.classes = {0, 0, 1, 1};
  const auto of = [&](std::vector<graph::Node> sources, std::vector<graph::Node> targets) {
    return train::homophily(graph_of(4, std::move(sources), std::move(targets)), labels);
  };
  CHECK_THAT(train::suggestion(*of({0, 2}, {1, 3})), Contains("neighbours mostly agree"));
  CHECK(of({0, 2}, {1, 3})->adjusted == Approx(1));
  CHECK_THAT(train::suggestion(*of({0, 1}, {2, 3})), Contains("neighbours mostly differ"));
  CHECK(of({0, 1}, {2, 3})->adjusted == Approx(-1));
  CHECK_FALSE(of({0}, {0}));  // no pairs
  const std::optional<train::Homophily> one = of({0}, {1});
  REQUIRE(one);
  CHECK(std::isnan(one->adjusted));
  CHECK_THAT(train::suggestion(*one), Contains("one class"));
  labels.task = data::Task::regression;
  CHECK_FALSE(of({0, 2}, {1, 3}));
}
