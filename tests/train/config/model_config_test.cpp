#include "edgewise/train/config/model_config.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using namespace edgewise::train;

namespace {

ModelConfig read(const char* text) { return json::parse(text, "model"); }

}  // namespace

TEST_CASE("a model is what its configuration says", "[train][model_config]") {
  CHECK(ModelConfig().is_empty());
  CHECK(read(R"({"preset": "gat", "heads": 4})").name() == "gat");
  CHECK(read(R"({"preset": "gat", "heads": 4})").traits().uses_attention);
  CHECK(read(R"({"blocks": []})").name() == "blocks");
  CHECK(read(R"({"heads": 4})").preset_or("gatv2") == "gatv2");
  CHECK(ModelConfig::named("boosted_trees").is_baseline());
  CHECK(ModelConfig::named("label_propagation").has_no_model());
  CHECK(ModelConfig::named("gat").with("heads", 2) == read(R"({"preset": "gat", "heads": 2})"));
  CHECK(ModelConfig::of_job(json::parse(R"({"model": {"preset": "gcn"}})", "c")).name() == "gcn");
  CHECK(ModelConfig::of_job(json::parse(R"({"model": "gcn"})", "c")).is_empty());
  CHECK_THROWS_AS(read(R"({"preset": 3})"), UsageError);
  CHECK_THROWS_AS(read("3"), UsageError);
}

TEST_CASE("a choice says what it is among, and what all of these get", "[train][model_config]") {
  const ModelConfig choice = read(R"({"candidates": ["gat", {"preset": "gcn", "layers": 3}], "hidden": 8})");
  CHECK(choice.is_open_choice());
  CHECK_FALSE(read(R"({"preset": "gat", "candidates": []})").is_open_choice());
  CHECK(choice.names_candidates());
  CHECK(choice.also().empty());
  CHECK_FALSE(ModelConfig::named("auto").candidates());
  const std::vector<ModelConfig> candidates = choice.candidates().value();
  REQUIRE(candidates.size() == 2);
  CHECK(candidates[0] == ModelConfig::named("gat"));
  CHECK(choice.with_shared_options(candidates[1]) == read(R"({"preset": "gcn", "layers": 3, "hidden": 8})"));
  CHECK(choice.has_own_options());
  CHECK_FALSE(read(R"({"preset": "auto", "also": [{"preset": "gat"}]})").has_own_options());
}

TEST_CASE("a model with another name, or blocks, replaces one; options change it", "[train][model_config]") {
  const ModelConfig gat = read(R"({"preset": "gat", "heads": 4})");
  CHECK(ModelConfig::named("gcn").replaces(gat));
  CHECK(ModelConfig::named("gat").replaces(ModelConfig()));
  CHECK(read(R"({"blocks": []})").replaces(gat));
  CHECK_FALSE(ModelConfig::named("gat").replaces(gat));
  CHECK_FALSE(read(R"({"heads": 2})").replaces(gat));
}
