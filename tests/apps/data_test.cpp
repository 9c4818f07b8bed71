#include <catch2/catch.hpp>
#include <filesystem>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::check_one_line;
using test::Result;
using test::Sandbox;

TEST_CASE("version and the catalogue are printed as text and as JSON", "[apps][version][data]") {
  const Sandbox sandbox;
  CHECK(sandbox.run("version --json").json().at("schema") == json::Value("edgewise.version/1"));
  const Result list = sandbox.run("data list --json");
  CHECK(list.code == 0);
  bool has_karate = false;
  const json::Value object = list.json();
  for (const json::Value& set : object.at("datasets").as_array()) {
    if (set.at("name") != json::Value("karate-club")) continue;
    has_karate = true;
    CHECK(set.at("state") == json::Value("here"));
  }
  CHECK(has_karate);
  CHECK_THAT(sandbox.run("data info karate-club").out, Contains("Zachary"));
}

TEST_CASE("data get says what took its place", "[apps][data]") {
  const Sandbox sandbox;
  const Result result = sandbox.run("data get cora --from planetoid.zip");
  CHECK(result.code == 2);
  CHECK_THAT(result.error, Contains("data get: use python -m edgewise.datasets NAME --from ARCHIVE"));
  check_one_line(result);
  const std::string listed = sandbox.shell("EDGEWISE_DATA=. " + Sandbox::kBinary + "data list").out;
  CHECK_THAT(listed, Contains("\npython -m edgewise.datasets NAME --from ARCHIVE puts what you downloaded"));
}

TEST_CASE("train reads generated networks and drawn splits", "[apps][data]") {
  const Sandbox sandbox;
  CHECK(sandbox.run("data generate purchases --nodes 150 --seed 3 --out net").code == 0);
  CHECK(sandbox
            .run("data split --edges net/friends.csv --nodes net/people.csv --label buys --split stratified "
                 "--out s.csv")
            .code == 0);
  CHECK_THAT(sandbox.read("s.csv"), StartsWith("node,split\np0,"));
  CHECK(sandbox
            .run("train --edges net/friends.csv --nodes net/people.csv --label buys --directed --split-file s.csv "
                 "--epochs 3 --threads 1")
            .code == 0);
  const std::string per_class =
      "data split --edges net/friends.csv --nodes net/people.csv --label buys --split per_class --out c.csv ";
  const Result drawn = sandbox.run(
      per_class + "--set split.train_per_class=3 --set split.validation_count=7 --set split.test_count=9 --json");
  INFO(drawn.error);
  REQUIRE(drawn.code == 0);
  CHECK(drawn.json().at("train") == json::Value(6));
  CHECK(drawn.json().at("validation") == json::Value(7));
  CHECK_THAT(sandbox.run(per_class + "--set training.epochs=3").error,
             Contains("--set: expected a member of data or split, got one of \"training\""));
  CHECK(sandbox.run("data generate molecules --count 20 --seed 3 --out mol").code == 0);
  CHECK_THAT(sandbox.read("mol/molecules.csv"), StartsWith("smiles,logp,tpsa,split\n"));
  CHECK(sandbox.run("data generate traffic --out net").code == 2);
}

TEST_CASE("generated files replace files, and nothing else", "[apps][data]") {
  const Sandbox sandbox;
  const std::string generate = "data generate molecules --count 3 --out mol";
  REQUIRE(sandbox.run(generate).code == 0);
  const std::string first = sandbox.read("mol/molecules.csv");
  sandbox.write("mol/molecules.csv", "mine");
  REQUIRE(sandbox.run(generate).code == 0);
  CHECK(sandbox.read("mol/molecules.csv") == first);
  std::filesystem::create_directories(sandbox.path("net/people.csv"));
  const Result refused = sandbox.run("data generate purchases --nodes 50 --out net");
  CHECK(refused.code == 3);
  CHECK_FALSE(std::filesystem::exists(sandbox.path("net/friends.csv")));
}
