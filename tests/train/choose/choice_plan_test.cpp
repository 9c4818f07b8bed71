#include "edgewise/train/choose/choice_plan.hpp"

#include <catch2/catch.hpp>

#include "edgewise/train/source/link_data.hpp"
#include "train/random_network.hpp"

using namespace edgewise;
using namespace edgewise::train;

namespace {

const std::vector<ModelConfig> kNetworks = {test::preset("gat"), test::preset("mlp"), test::preset("gcn")};

std::vector<std::string> names_of(const std::vector<PlannedModel>& models) {
  std::vector<std::string> names;
  for (const PlannedModel& model : models) names.push_back(model.name());
  return names;
}

}  // namespace

TEST_CASE("what fits is tried in the order given", "[train][choice_plan]") {
  const Dataset data = test::random_network(500, 20'000);
  const ChoicePlan plan = plan_choice(parse_config(json::Object{}), data, kNetworks, {"label_propagation"});
  CHECK(names_of(plan.models) == std::vector<std::string>{"gat", "mlp", "gcn", "label_propagation"});
  CHECK_FALSE(plan.is_limited);
  CHECK(left_out_note(plan, data).empty());
}

TEST_CASE("heuristics of ties come before networks", "[train][choice_plan]") {
  Dataset data = test::random_network(500, 2'000);
  CHECK(plan_choice(parse_config(json::Object{}), data, kNetworks, {}).baselines_last);
  make_links(data);
  const ChoicePlan plan = plan_choice(parse_config(json::Object{}), data, kNetworks, {"adamic_adar"});
  CHECK(names_of(plan.models).front() == "adamic_adar");
  CHECK_FALSE(plan.baselines_last);
}

TEST_CASE("what is too expensive is left out, and the cheapest come first", "[train][choice_plan]") {
  const Dataset data = test::random_network(500, 20'000);
  Config config = parse_config(json::Object{});
  const double all = plan_choice(config, data, kNetworks, {"label_propagation"}).total();
  const ChoicePlan plan = plan_choice(config, data, kNetworks, {"label_propagation"}, all * 0.9);
  CHECK(plan.is_limited);
  CHECK(names_of(plan.models) == std::vector<std::string>{"label_propagation", "mlp", "gcn"});
  CHECK(left_out_note(plan, data) ==
        "left out as too expensive for 20,000 edges: gat; training.budget 4h or model.preset gat trains it");
  CHECK(names_of(plan_choice(config, data, kNetworks, {"label_propagation"}, 1).models) ==
        std::vector<std::string>{"mlp"});

  SECTION("unless they are named") {
    config.model = config.model.with("candidates", json::Array{"gat", "mlp"});
    CHECK(plan_choice(config, data, kNetworks, {}, 1).models.size() == 3);
  }
  SECTION("a budget decides instead") {
    config.budget = "1h";
    const ChoicePlan limited = plan_choice(config, data, kNetworks, {}, 1);
    CHECK(limited.is_limited);
    CHECK(names_of(limited.models) == std::vector<std::string>{"mlp", "gcn", "gat"});
  }
}
