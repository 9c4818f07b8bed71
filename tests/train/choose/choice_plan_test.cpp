#include "edgewise/train/choose/choice_plan.hpp"

#include <catch2/catch.hpp>

#include <chrono>

#include "edgewise/core/random.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

JobData network(graph::Node nodes, std::size_t edges) {
  Random random(3, Stream::generate);
  JobData data;
  data.name = "network";
  graph::EdgeList list;
  for (std::size_t e = 0; e < edges; ++e) {
    list.sources.push_back(static_cast<graph::Node>(random.below(nodes)));
    list.targets.push_back(static_cast<graph::Node>(random.below(nodes)));
  }
  data.graph = graph::Graph(graph::NodeNames::numbered(nodes), std::move(list),
                            {.duplicates = graph::DuplicateEdges::keep_all});
  data.labels.names = {"a", "b"};
  for (graph::Node node = 0; node < nodes; ++node) data.labels.classes.push_back(static_cast<std::int32_t>(node % 2));
  data.features.dense = Matrix::Ones(nodes, 8);
  return data;
}

json::Value preset(const char* name) { return json::Object{{"preset", name}}; }

const std::vector<json::Value> kNetworks = {preset("gat"), preset("mlp"), preset("gcn")};

std::vector<std::string> names_of(const std::vector<PlannedModel>& models) {
  std::vector<std::string> names;
  for (const PlannedModel& model : models) names.push_back(model.name);
  return names;
}

}  // namespace

TEST_CASE("work grows with the edges, for models that use them", "[train][choice_plan]") {
  const Config config = parse_config(json::Object{});
  const JobData few = network(500, 2000), many = network(500, 20'000);
  CHECK(work_of(preset("mlp"), config, few).total() == work_of(preset("mlp"), config, many).total());
  CHECK(work_of(preset("gcn"), config, few).edges * 7 < work_of(preset("gcn"), config, many).edges);
  CHECK(work_of(preset("gcn"), config, many).total() < work_of(preset("gat"), config, many).total());
  CHECK(work_of(preset("label_propagation"), config, many).total() < work_of(preset("gcn"), config, many).total());
  const json::Value alone = json::parse(R"({"preset": "gcn", "graph": {"edges": false}})", "m");
  CHECK(work_of(alone, config, many).edges == 0);
}

TEST_CASE("what fits is tried in the order given", "[train][choice_plan]") {
  const JobData data = network(500, 20'000);
  const ChoicePlan plan = plan_choice(parse_config(json::Object{}), data, kNetworks, {"label_propagation"});
  CHECK(names_of(plan.models) == std::vector<std::string>{"gat", "mlp", "gcn", "label_propagation"});
  CHECK_FALSE(plan.is_limited);
  CHECK(left_out_note(plan, data).empty());
}

TEST_CASE("what is too expensive is left out, and the cheapest come first", "[train][choice_plan]") {
  const JobData data = network(500, 20'000);
  Config config = parse_config(json::Object{});
  const double all = plan_choice(config, data, kNetworks, {"label_propagation"}).total();
  const ChoicePlan plan = plan_choice(config, data, kNetworks, {"label_propagation"}, all * 0.9);
  CHECK(plan.is_limited);
  CHECK(names_of(plan.models) == std::vector<std::string>{"label_propagation", "mlp", "gcn"});
  CHECK(left_out_note(plan, data) ==
        "left out as too expensive for 20,000 edges: gat; --budget 4h or --model gat trains it");
  CHECK(names_of(plan_choice(config, data, kNetworks, {"label_propagation"}, 1).models) ==
        std::vector<std::string>{"mlp"});

  SECTION("unless they are named") {
    config.model.set("candidates", json::Array{"gat", "mlp"});
    CHECK(plan_choice(config, data, kNetworks, {}, 1).models.size() == 3);
  }
  SECTION("a budget decides instead") {
    config.budget = "1h";
    const ChoicePlan limited = plan_choice(config, data, kNetworks, {}, 1);
    CHECK(limited.is_limited);
    CHECK(names_of(limited.models) == std::vector<std::string>{"mlp", "gcn", "gat"});
  }
}

TEST_CASE("an estimate is in words and follows the clock", "[train][choice_plan]") {
  const JobData data = network(500, 20'000);
  std::chrono::steady_clock::time_point time;
  const auto clock = [&] { return time += std::chrono::milliseconds(1); };
  const double once = estimated_seconds({.rows = 1e12}, data, clock);
  CHECK(estimated_seconds({.rows = 2e12}, data, clock) == Approx(2 * once));
  CHECK(estimated_seconds({.rows = 1e12, .edges = 1e10}, data, clock) > once);
  CHECK(rough_time(0.2) == "less than 1 s");
  CHECK(rough_time(80) == "80 s");
  CHECK(rough_time(1500) == "25 min");
  CHECK(rough_time(4 * 3600) == "4 h");
  CHECK(grouped(7) == "7");
  CHECK(grouped(123) == "123");
  CHECK(grouped(12345678) == "12,345,678");
}
