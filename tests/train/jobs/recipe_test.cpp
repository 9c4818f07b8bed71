#include "edgewise/train/jobs/recipe.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/jobs/config.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

Config config_of(const char* given) { return parse_config(over_recipe(json::parse(given, "given"))); }

}  // namespace

TEST_CASE("the defaults of a job depend on its data", "[train][recipe]") {
  const Config nodes = config_of(R"({"data": {"edges": "e.csv", "nodes": "n.csv"}})");
  CHECK(nodes.split.train == 0.6);
  const Config molecules = config_of(R"({"data": {"molecules": "m.csv"}})");
  CHECK(molecules.split.train == 0.8);
  CHECK(molecules.training.optimiser == "adamw");
  CHECK(molecules.model.get("preset", "") == "auto");
  CHECK(molecules.model.at("candidates").as_array().size() == 2);
  const Config texts = config_of(R"({"data": {"texts": "t.csv"}})");
  CHECK(texts.model.get("preset", "") == "attention");
  CHECK(texts.training.batch_size == 32);
}

TEST_CASE("what is given overrides the defaults", "[train][recipe]") {
  const Config config = config_of(
      R"({"data": {"molecules": "m.csv"}, "model": {"preset": "gcn", "hidden": 8}, "training": {"epochs": 5}})");
  CHECK(config.model.get("hidden", 0) == 8);
  CHECK(config.model.get("readout", "") == "sum_mean_max");
  CHECK(config.training.epochs == 5);
  CHECK(config.training.schedule.warmup == 0);  // as so few epochs need
}

TEST_CASE("a data set of the catalogue has its recipe and its metric", "[train][recipe]") {
  CHECK(config_of(R"({"data": {"dataset": "hydrophilicity"}})").split.train == 0.8);
  CHECK_THROWS_WITH(over_recipe(json::parse(R"({"data": {"dataset": "purchase"}})", "given")),
                    Contains("did you mean purchases?"));
}

TEST_CASE("candidates make the model a choice", "[train][recipe]") {
  const Config config = config_of(R"({"model": {"candidates": ["gat", "sage"]}})");
  CHECK(config.model.get("preset", "") == "auto");
}

TEST_CASE("model names are checked", "[train][recipe]") {
  CHECK_NOTHROW(check_model_name(json::parse(R"({"preset": "boosted_trees"})", "model")));
  CHECK_THROWS_WITH(check_model_name(json::parse(R"({"preset": "gatt"})", "model")), Contains("did you mean \"gat\"?"));
}
