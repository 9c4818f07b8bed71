#include "edgewise/train/choose/kept_models.hpp"

#include <catch2/catch.hpp>

#include "edgewise/train/config/variant.hpp"

using namespace edgewise;
using namespace edgewise::train;

namespace {

constexpr graph::Node kItems = 1000;

/// Contenders with these shares of right answers on nodes that are all validated on, and costs that fall.
ChoiceState state_of(const std::vector<std::pair<const char*, double>>& models) {
  ChoiceState state;
  state.choice.metric = "accuracy";
  for (const auto& [model, accuracy] : models) {
    state.contenders.push_back({.variant = variant_named(model), .validation = {accuracy}});
    state.models.push_back(json::Object{{"preset", model}});
    state.costs.push_back(static_cast<double>(models.size() - state.costs.size()));
    Run& run = state.runs.emplace_back(std::in_place).value();
    run.split.assign(kItems, data::Role::validation);
    run.predictions = Matrix::Constant(kItems, 2, 0.5F);
  }
  return state;
}

Dataset nodes() {
  Dataset data;
  data.labels.names = {"a", "b"};
  for (graph::Node node = 0; node < kItems; ++node) data.labels.classes.push_back(static_cast<std::int32_t>(node % 2));
  return data;
}

/// Predictions that are wrong on the nodes from `first` to before `end`, with this probability of the wrong class.
Matrix wrong_on(graph::Node first, graph::Node end, float sureness) {
  Matrix predictions(kItems, 2);
  for (graph::Node node = 0; node < kItems; ++node) {
    const bool is_wrong = node >= first && node < end;
    const Eigen::Index right = node % 2;
    predictions(node, right) = is_wrong ? 1 - sureness : 0.6F;
    predictions(node, 1 - right) = is_wrong ? sureness : 0.4F;
  }
  return predictions;
}

Sample sample_of_all(const Dataset& data) {
  std::vector<graph::Node> items(kItems);
  for (graph::Node node = 0; node < kItems; ++node) items[node] = node;
  return sample_of(data.labels, items);
}

}  // namespace

TEST_CASE("the cheapest of those that are as good as the best is kept", "[train][kept_models]") {
  const Dataset data = nodes();
  const ChoiceState state = state_of({{"gat", 0.9}, {"gcn", 0.899}, {"sage", 0.8}});
  const Kept kept = to_keep(state, data, sample_of_all(data));
  CHECK(kept.places == std::vector<std::size_t>{1});
  CHECK(kept.as_good_as == std::size_t{0});
  CHECK(best_value(state) == 0.9);
}

TEST_CASE("of models of ties the average of a network and another is kept unless it is behind the best",
          "[train][kept_models]") {
  Dataset data = nodes();
  data.links.emplace();
  ChoiceState state = state_of({{"gcn", 0.85}, {"gat", 0.9}, {"link_trees", 0.88}});
  state.runs[1]->predictions = wrong_on(0, 100, 0.55F);
  state.runs[2]->predictions = wrong_on(500, 604, 0.99F);
  const Kept kept = to_keep(state, data, sample_of_all(data));
  CHECK(kept.places == std::vector<std::size_t>{1, 2});
  CHECK(kept.average == Approx(0.896));
  CHECK(kept.as_good_as == std::size_t{1});
  state.runs[2]->predictions = wrong_on(500, 610, 0.99F);
  CHECK(to_keep(state, data, sample_of_all(data)).places == std::vector<std::size_t>{1});
  state.runs[2]->predictions = wrong_on(0, 100, 0.1F);
  CHECK_FALSE(to_keep(state, data, sample_of_all(data)).as_good_as);
  // Trees are not flattered by validation.
  ChoiceState with_trees = state_of({{"gat", 0.89}, {"link_trees", 0.9}});
  with_trees.runs[0]->predictions = wrong_on(0, 104, 0.99F);
  with_trees.runs[1]->predictions = wrong_on(500, 600, 0.55F);
  CHECK(to_keep(with_trees, data, sample_of_all(data)).places == std::vector<std::size_t>{1});
}

TEST_CASE("in networks of kinds the average of the two best is kept unless it is behind", "[train][kept_models]") {
  Dataset data = nodes();
  data.kinds.emplace();
  ChoiceState state = state_of({{"rgcn", 0.88}, {"sage", 0.9}, {"neighbour_trees", 0.7}});
  state.runs[0]->predictions = wrong_on(500, 604, 0.99F);
  state.runs[1]->predictions = wrong_on(0, 100, 0.55F);
  CHECK(to_keep(state, data, sample_of_all(data)).places == std::vector<std::size_t>{1, 0});
  state.runs[0]->predictions = wrong_on(500, 610, 0.99F);
  CHECK(to_keep(state, data, sample_of_all(data)).places == std::vector<std::size_t>{1});
}

TEST_CASE("runs that can no longer be kept are let go", "[train][kept_models]") {
  const Dataset data = nodes();
  ChoiceState state =
      state_of({{"gat", 0.9}, {"gcn", 0.899}, {"sage", 0.8}, {"boosted_trees", 0.7}, {"neighbour_trees", 0.6}});
  drop_losers(state, data, sample_of_all(data));
  std::vector<bool> are_held;
  for (const std::optional<Run>& run : state.runs) are_held.push_back(run.has_value());
  CHECK(are_held == std::vector<bool>{true, true, false, true, false});  // the best of the other kinds may be averaged
}

TEST_CASE("an addition pays if it is ahead by more than chance", "[train][kept_models]") {
  const Dataset data = nodes();
  CHECK(pays("accuracy", 0.9, 0.8, sample_of_all(data)));
  CHECK_FALSE(pays("accuracy", 0.801, 0.8, sample_of_all(data)));
}

TEST_CASE("an average of whole graphs leaves out what would put it behind its best part", "[train][kept_models]") {
  Dataset data = nodes();
  data.graphs.emplace();
  ChoiceState state = state_of({{"gatv2", 0.9}, {"sage", 0.895}, {"fingerprint", 0.89}});
  state.runs[0]->predictions = wrong_on(0, 100, 0.55F);
  state.runs[1]->predictions = wrong_on(20, 125, 0.55F);   // wrong where gatv2 is, mostly
  state.runs[2]->predictions = wrong_on(500, 610, 0.99F);  // sure of what the others know better
  CHECK(to_keep(state, data, sample_of_all(data)).places == std::vector<std::size_t>{0, 1});
  state.runs[2]->predictions = wrong_on(500, 610, 0.55F);
  CHECK(to_keep(state, data, sample_of_all(data)).places == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("an average of whole graphs is kept unless it is clearly behind its best part", "[train][kept_models]") {
  Dataset data = nodes();
  data.graphs.emplace();
  ChoiceState state = state_of({{"descriptors", 0.9}, {"sage", 0.895}});
  state.runs[0]->predictions = wrong_on(0, 100, 0.55F);
  state.runs[1]->predictions = wrong_on(500, 604, 0.99F);
  CHECK(to_keep(state, data, sample_of_all(data)).places == std::vector<std::size_t>{0, 1});  // 0.896
  state.runs[1]->predictions = wrong_on(500, 610, 0.99F);
  CHECK(to_keep(state, data, sample_of_all(data)).places == std::vector<std::size_t>{0});  // 0.890
}
