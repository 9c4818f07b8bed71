#include "edgewise/train/inputs/edge_evidence.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"

using namespace edgewise;
using data::Role;

namespace {

constexpr std::size_t kEnds = 12;

/// Edges between a few nodes with numbers as labels, and their times.
train::Dataset rated(std::size_t count, bool is_directed = true) {
  Random random(5, Stream::generate);
  train::Dataset data;
  data.name = "rated";
  train::EdgeItems edges{
      .nodes = graph::NodeNames::numbered(kEnds), .sources = {}, .targets = {}, .is_directed = is_directed};
  io::Column time;
  time.name = "time";
  data.labels.task = data::Task::regression;
  data.labels.names = {"rating"};
  data.labels.targets.resize(static_cast<Eigen::Index>(count), 1);
  graph::NodeNames names;
  for (std::size_t i = 0; i < count; ++i) {
    edges.sources.push_back(static_cast<graph::Node>(random.below(kEnds)));
    edges.targets.push_back(static_cast<graph::Node>(random.below(kEnds)));
    data.labels.targets(static_cast<Eigen::Index>(i), 0) = static_cast<float>(random.normal());
    time.numbers.push_back(static_cast<float>(i));
    names.add(std::to_string(i));
  }
  data.table.file = "ratings.csv";
  data.table.names = names;
  data.table.columns.push_back(std::move(time));
  data.graph = graph::Graph(names, {}, {});
  data.edges = std::move(edges);
  return data;
}

data::Split split_of(std::size_t count) {
  data::Split split(count, Role::train);
  for (std::size_t i = 0; i < count; ++i)
    if (i % 5 == 4) split[i] = Role::test;
  return split;
}

/// What each edge sees, with another label of one of them.
Matrix numbers_with(train::Dataset data, std::size_t changed, const train::SplitConfig& config) {
  data.labels.targets(static_cast<Eigen::Index>(changed), 0) += 100;
  const data::Split split = split_of(data.edges->size());
  return train::EdgeEvidence::fit(data, config, split).apply(*data.edges);
}

}  // namespace

TEST_CASE("no edge sees its own label, nor that of another between its ends", "[train][edge_evidence]") {
  const bool is_directed = GENERATE(true, false), is_by_time = GENERATE(true, false);
  constexpr std::size_t kCount = 120;
  train::SplitConfig config;
  if (is_by_time) config.time = "time";
  const train::Dataset data = rated(kCount, is_directed);
  const data::Split split = split_of(kCount);
  const auto evidence = train::EdgeEvidence::fit(data, config, split);
  const Matrix before = evidence.apply(*data.edges);
  for (std::size_t changed = 0; changed < kCount; changed += 7) {
    INFO("edge " << changed);
    if (split[changed] != Role::train) continue;
    json::Value other = evidence.to_json();
    json::Array values = other.at("values").as_array();
    const std::size_t place = changed - changed / 5;  // among those of the training
    values[place] = values[place].as_number() + 50;
    other.set("values", std::move(values));
    const Matrix after = train::EdgeEvidence::from_json(other).apply(*data.edges);
    CHECK_FALSE(before == after);  // others do see it
    for (std::size_t i = 0; i < kCount; ++i)
      if (data.edges->key(i) == data.edges->key(changed))
        CHECK(before.row(static_cast<Eigen::Index>(i)) == after.row(static_cast<Eigen::Index>(i)));
  }
}

TEST_CASE("labels beyond the training are no evidence", "[train][edge_evidence]") {
  const train::Dataset data = rated(60);
  CHECK(numbers_with(data, 4, {}) == numbers_with(data, 9, {}));  // both are of the test
  CHECK_FALSE(numbers_with(data, 4, {}) == numbers_with(data, 3, {}));
}

TEST_CASE("in a split by time an edge sees only what is earlier", "[train][edge_evidence]") {
  constexpr std::size_t kCount = 100;
  const train::Dataset data = rated(kCount);
  train::SplitConfig config;
  config.time = "time";
  const auto evidence = train::EdgeEvidence::fit(data, config, data::Split(kCount, Role::train));
  json::Value other = evidence.to_json();
  json::Array values = other.at("values").as_array();
  for (std::size_t i = 50; i < kCount; ++i) values[i] = 9.0;
  other.set("values", std::move(values));
  const Matrix before = evidence.apply(*data.edges);
  const Matrix after = train::EdgeEvidence::from_json(other).apply(*data.edges);
  for (Eigen::Index i = 0; i < 50; ++i) CHECK(before.row(i) == after.row(i));
  CHECK_FALSE(before.bottomRows(10) == after.bottomRows(10));
}

TEST_CASE("edges between nodes without labels of training are unlike", "[train][edge_evidence]") {
  const train::Dataset data = rated(60);
  const train::EdgeEvidence evidence = train::EdgeEvidence::fit(data, {}, split_of(60));
  train::EdgeItems edges{.nodes = {}, .sources = {0, 0, 1, 1}, .targets = {2, 1, 2, 3}};
  for (const char* name : {"0", "new", "1", "newer"}) edges.nodes.add(name);
  std::vector<std::string> reasons(4);
  evidence.find_unlike(edges, [&](std::size_t item, const std::string& reason) { reasons[item] = reason; });
  CHECK(reasons == std::vector<std::string>{"", "the target is not in training", "the source is not in training",
                                            "the source and the target are not in training"});
}

TEST_CASE("evidence is kept with the model, for edges under other numbers", "[train][edge_evidence]") {
  const train::Dataset data = rated(80, GENERATE(true, false));
  const auto evidence = train::EdgeEvidence::fit(data, {}, split_of(80));
  const auto kept = train::EdgeEvidence::from_json(json::parse(json::dump(evidence.to_json()), "kept"));
  CHECK(kept.apply(*data.edges) == evidence.apply(*data.edges));
  train::EdgeItems one;
  one.is_directed = data.edges->is_directed;
  one.nodes.add("new");
  one.sources.push_back(one.nodes.add(data.edges->nodes[data.edges->sources[3]]));
  one.targets.push_back(one.nodes.add(data.edges->nodes[data.edges->targets[3]]));
  CHECK(kept.apply(one).row(0) == evidence.apply(*data.edges).row(3));
  one.targets[0] = 0;
  CHECK(kept.apply(one).allFinite());
}

TEST_CASE("models from before there were factors are read", "[train][edge_evidence]") {
  const train::Dataset data = rated(80);
  const auto evidence = train::EdgeEvidence::fit(data, {}, split_of(80));
  const auto place =
      std::ranges::find(evidence.names(), "rating: sum of biases and factors") - evidence.names().begin();
  json::Value old = evidence.to_json(), scale = old.at("scale");
  for (const char* member : {"numbers", "units", "means", "deviations"}) {
    json::Array values = scale.at(member).as_array();
    values.erase(values.begin() + place);
    scale.set(member, std::move(values));
  }
  old.set("scale", std::move(scale));
  const Matrix now = evidence.apply(*data.edges), before = train::EdgeEvidence::from_json(old).apply(*data.edges);
  REQUIRE(before.cols() == now.cols() - 1);
  CHECK(before.leftCols(place) == now.leftCols(place));
  CHECK(before.rightCols(before.cols() - place) == now.rightCols(before.cols() - place));
}

TEST_CASE("evidence has the same bits at any number of threads", "[train][edge_evidence]") {
  const train::Dataset data = rated(2000);
  const int usual = threads();
  set_threads(1);
  const Matrix serial = train::EdgeEvidence::fit(data, {}, split_of(2000)).apply(*data.edges);
  set_threads(3);
  CHECK(train::EdgeEvidence::fit(data, {}, split_of(2000)).apply(*data.edges) == serial);
  set_threads(usual);
}

TEST_CASE("a model file with half of the evidence is refused", "[train][edge_evidence]") {
  json::Value value = train::EdgeEvidence::fit(rated(30), {}, split_of(30)).to_json();
  value.set("folds", json::Array{});
  CHECK_THROWS_AS(train::EdgeEvidence::from_json(value), ModelError);
}
