#include "edgewise/train/source/sources.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <set>
#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/source/kinds.hpp"
#include "edgewise/train/targets/metrics.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

constexpr graph::Node kRing = 60;

/// A source of a program's own: a ring of nodes, each with a number, one half of which is "left".
train::Dataset read_ring(const train::DataConfig& request, const train::LoadOptions& options) {
  train::Dataset data;
  data.reading = request;
  graph::EdgeList edges;
  graph::NodeNames names;
  io::Column place{.name = "place", .numbers = {}, .codes = {}, .categories = {}};
  io::Column side{.name = "side", .is_numeric = false, .numbers = {}, .codes = {}, .categories = {"left", "right"}};
  for (graph::Node node = 0; node < kRing; ++node) {
    names.add(fmt::format("n{}", node));
    edges.sources.push_back(node);
    edges.targets.push_back((node + 1) % kRing);
    place.numbers.push_back(static_cast<float>(node));
    side.codes.push_back(node < kRing / 2 ? 0 : 1);
  }
  data.name = "ring";
  data.table.names = names;
  data.table.lines.assign(kRing, 0);
  data.table.columns = {place, side};
  data.graph = graph::Graph(std::move(names), std::move(edges), data.reading.graph_options());
  data.reading.label = {"side"};
  data.labels = data::read_labels(data.table, train::label_options(data.reading, std::nullopt, options));
  return data;
}

const train::Source& ring_source() {
  static const train::Source kSource{.noun = "a ring",
                                     .named_by = {},
                                     .takes = {},
                                     .replaces = {},
                                     .shape = [](const json::Value&) { return train::DataShape::network; },
                                     .check = [](const train::DataConfig&) {},
                                     .read = read_ring};
  return kSource;
}

}  // namespace

TEST_CASE("a program's own source trains a model", "[train][source]") {
  train::Config config;
  config.model = json::Object{{"preset", "gat"}, {"hidden", 8}, {"heads", 2}};
  config.training.epochs = 40;
  const train::Dataset data = train::read_dataset(ring_source(), config.data);
  CHECK(data.labels.names == std::vector<std::string>{"left", "right"});
  const train::Run run = train::run_job(config, data, 0);
  REQUIRE(run.trained);
  CHECK(run.predictions.rows() == kRing);
  CHECK(train::metric(run.report.train, "accuracy") > 0.7);
  CHECK(run.trained->data.label == std::vector<std::string>{"side"});
}

TEST_CASE("every member of data is taken by a source, or by all", "[train][source]") {
  std::set<train::DataGroup> taken = {train::DataGroup::any, train::DataGroup::source};
  std::set<std::string_view> naming;
  for (const auto& kind : train::kSourceKinds) {
    taken.insert(kind().takes.begin(), kind().takes.end());
    naming.insert(kind().named_by.begin(), kind().named_by.end());
  }
  const json::FieldDoc data = train::config_fields().front();
  for (const json::FieldDoc& field : data.fields) {
    INFO(field.name);
    const std::optional<train::DataGroup> group = train::group_of(field.name);
    REQUIRE(group);
    CHECK(taken.contains(*group));
    CHECK((*group == train::DataGroup::source) == naming.contains(field.name));
  }
}

TEST_CASE("a source refuses what is for others", "[train][source]") {
  const auto message = [](auto&& change) -> std::string {
    train::DataConfig config;
    change(config);
    try {
      train::refuse_foreign_members(config, train::given_members(config));
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message([](auto& c) { c.edges = "e.csv", c.source = "a", c.target = "b", c.weight = "w"; }).empty());
  CHECK_THAT(message([](auto& c) { c.edges = "e.csv", c.smiles = {"s"}; }),
             Contains("data.smiles: is for molecules (data.molecules)"));
  CHECK_THAT(message([](auto& c) { c.molecules = "m.csv", c.component = train::Component::largest; }),
             Contains("data.component: is for one graph"));
  CHECK_THAT(message([](auto& c) { c.tu = "t", c.missing = {"?"}; }),
             Contains("data.missing: is for files of your own"));
  CHECK_THAT(message([](auto& c) { c.dataset = "karate-club", c.strict = true; }),
             Contains("\"karate-club\" has none"));
  CHECK_THAT(message([](auto& c) { c.edges = "e.csv", c.graph = "g.gml"; }),
             Contains("give one of an edge list and a graph file, not both"));
  CHECK_THAT(message([](auto& c) { c.tu = "t", c.graph_column = "g"; }), Contains("a collection cannot be combined"));
  CHECK_THAT(message([](auto& c) { c.nodes = "n.csv"; }), Contains("a table of nodes needs edges (data.edges)"));
  CHECK_THAT(message([](auto&) {}), Contains("data: name a data set"));
}

TEST_CASE("a refusal says for every group what it is for", "[train][source]") {
  train::DataConfig config;
  config.edges = "e.csv";
  CHECK_THROWS_WITH(train::refuse_groups(config, {train::DataGroup::source}),
                    Contains("data.edges: is for another source of data"));
  for (int group = 0; group <= static_cast<int>(train::DataGroup::frozen); ++group)
    CHECK_FALSE(train::purpose_of(static_cast<train::DataGroup>(group)).empty());
}

TEST_CASE("a set of the catalogue that is no collection is not read as one", "[train][source]") {
  train::DataConfig config;
  config.dataset = "karate-club";
  config.grid = "2x2";
  CHECK_THROWS_WITH(train::read_dataset(config), Contains("\"karate-club\" is none"));
}
