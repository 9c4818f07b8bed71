#include "edgewise/train/doctor/data_checks.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("a job reports what is missing in its configuration", "[train][data_checks]") {
  test::FriendFiles files;
  const auto fails = [&](auto&& change) {
    train::DataConfig config = files.config.data;
    change(config);
    return [config] { train::read_dataset(config); };
  };
  CHECK_THROWS_WITH(fails([](auto& c) { c.edges = {}; })(), Contains("data.edges"));
  CHECK_THROWS_WITH(fails([](auto& c) { c.label.clear(); })(), Contains("data.label"));
  CHECK_THROWS_WITH(fails([](auto& c) { c.nodes = {}; })(), Contains("data.nodes"));
  CHECK_THROWS_WITH(fails([](auto& c) { c.dataset = "cora"; })(),
                    Contains("give one of a data set of the catalogue and an edge list"));
  CHECK_THROWS_WITH(fails([](auto& c) { c.label = {"sells"}; })(), Contains("sells"));
  CHECK_THROWS_AS(fails([](auto& c) { c.edges = "/nowhere.csv"; })(), DataError);
}

TEST_CASE("members that mean nothing for the data are refused", "[train][data_checks]") {
  const auto message = [](train::DataConfig config, auto&& change) -> std::string {
    change(config);
    try {
      train::read_dataset(config, {.needs_labels = false});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const test::FriendFiles files;
  files.write("g.gml", "graph [ node [ id 0 x 1 ] node [ id 1 x 2 ] edge [ source 0 target 1 ] ]");
  files.write("m.csv", "smiles,y\nCCO,1\nCC,2\n");
  train::DataConfig sets[4];
  sets[0].dataset = "karate-club";
  sets[1].dataset = "purchases";
  sets[2].graph = files.path("g.gml");
  sets[3].molecules = files.path("m.csv");
  for (const train::DataConfig& set : sets) {
    INFO(set.dataset << set.graph << set.molecules);
    CHECK_THAT(message(set, [](auto& c) { c.id = "id"; }), Contains("data.id: is for a table of nodes"));
    CHECK_THAT(message(set, [](auto& c) { c.source = "from"; }), Contains("data.source: is for an edge list"));
    CHECK_THAT(message(set, [](auto& c) { c.ignore = {"nope"}; }), Contains("no column \"nope\""));
    CHECK_THAT(message(set, [](auto& c) { c.categorical = {"nope"}; }), Contains("no column \"nope\""));
    CHECK_THAT(message(set, [](auto& c) { c.text = std::string("t"); }), Contains("data.text: is for collections"));
    CHECK_THAT(message(set, [](auto& c) { c.tokens = data::Tokens::characters; }),
               Contains("data.tokens: is for collections"));
    CHECK_THAT(message(set, [](auto& c) { c.token_columns = {"t"}; }), Contains("data.token_columns: is for"));
    CHECK_THAT(message(set, [](auto& c) { c.affixes = 3; }), Contains("data.affixes: is for collections"));
    if (set.dataset != "karate-club")
      CHECK_THAT(message(set, [](auto& c) { c.normalise_rows = true; }),
                 Contains("data.normalise_rows: is for ready-made features of nodes (data.features)"));
    if (!set.graph.empty()) continue;
    CHECK_THAT(message(set, [](auto& c) { c.weight = "w"; }), Contains("data.weight: is for an edge list"));
    CHECK_THAT(message(set, [](auto& c) { c.directed = true; }), Contains("data.directed: is for an edge list"));
    CHECK_THAT(message(set, [](auto& c) { c.self_loops = graph::SelfLoops::drop; }),
               Contains("data.self_loops: is for"));
  }
  // A column that exists, but is read as numbers all the same.
  CHECK_THAT(message(sets[1], [](auto& c) { c.categorical = {"age"}; }), Contains("\"age\" of purchases is read as"));
  // The same members for files that they describe.
  CHECK(message(sets[1], [](auto& c) { c.ignore = {"age"}; }).empty());
  CHECK(message(sets[2], [](auto& c) { c.categorical = {"x"}; }).empty());
  CHECK(message(files.config.data, [](auto& c) {
          c.id = "id";
          c.source = "source";
          c.target = "target";
          c.weight = "weight";
          c.ignore = {"city"};
          c.categorical = {"age"};
          c.missing_labels = {"?"};
          c.directed = true;
        }).empty());
  CHECK_THAT(message(sets[3], [](auto& c) { c.descriptors = {"nope"}; }), Contains("no column \"nope\""));
  // Without a table there are no columns.
  train::DataConfig edges;
  edges.edges = files.path("friends.csv");
  CHECK_THAT(message(edges, [](auto& c) { c.ignore = {"age"}; }),
             Contains("data.ignore: names columns of a table, but"));
  CHECK_THAT(message(edges, [](auto& c) { c.missing_labels = {"?"}; }), Contains("data.missing_labels: is for labels"));
}
