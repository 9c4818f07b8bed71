#include "edgewise/train/loop/node_batches.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/neighbourhood.hpp"
#include "edgewise/graph/permutation.hpp"
#include "support/chorded_ring.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using train::NodeBatches;

namespace {

const std::vector<graph::Node> kItems = {42, 3, 299};

nn::Model make_model(const std::string& config) {
  const json::Value model = nn::expand_model(json::parse(config, "model"));
  const bool has_weights = nn::graph_options_of(model).weight_as_feature;
  return nn::Model(model, {.inputs = 5, .outputs = 3, .edge_features = has_weights ? 1 : 0}, 3);
}

struct Pass {
  Matrix outputs;
  std::vector<Matrix> gradients;
};

/// A training pass for `kItems`. A pass that records attention goes over all nodes.
Pass train_on_items(nn::Model& model, NodeBatches& batches, bool goes_over_all) {
  std::vector<nn::AttentionRecord> records;
  autograd::Tape tape(true);
  const train::PassOptions options{
      .tape = tape, .is_training = true, .attention = goes_over_all ? &records : nullptr};
  const autograd::Variable outputs = batches.forward(model, options, kItems);
  for (autograd::Parameter* parameter : model.parameters()) parameter->gradient.setZero();
  const Matrix weights = test::random_matrix(outputs.rows(), outputs.cols(), 5);
  tape.backward(test::weighted_sum(outputs, weights));
  Pass pass{.outputs = outputs.value(), .gradients = {}};
  for (autograd::Parameter* parameter : model.parameters()) pass.gradients.push_back(parameter->gradient);
  return pass;
}

/// Gives nodes that a model cannot see from `kItems` features that would spoil any result computed from them.
data::Features spoilt_beyond(const graph::FrozenGraph& graph, std::size_t hops, data::Features features) {
  const std::vector<graph::Node> seen = graph::neighbourhood(graph, kItems, hops).nodes;
  REQUIRE(seen.size() < test::kRingNodes / 2);
  for (graph::Node node = 0; node < test::kRingNodes; ++node)
    if (!std::ranges::binary_search(seen, node)) features.dense.row(node).setConstant(NAN);
  return features;
}

void check_close(const std::vector<Matrix>& some, const std::vector<Matrix>& expected) {
  REQUIRE(some.size() == expected.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    CAPTURE(i);
    CHECK((some[i] - expected[i]).norm() <= 1e-5F * (1 + expected[i].norm()));
  }
}

}  // namespace

TEST_CASE("a step over what its items see gives the same as one over all nodes", "[train][batches]") {
  const auto config = GENERATE(
      as<std::string>(), R"({"preset": "gat", "hidden": 16, "dropout": 0, "attention_dropout": 0})",
      R"({"preset": "gatv2", "hidden": 16, "dropout": 0, "attention_dropout": 0,
                                   "graph": {"weight_as_feature": true}})",
      R"({"preset": "transformer", "hidden": 16, "dropout": 0, "attention_dropout": 0})",
      R"({"preset": "gcn", "dropout": 0})", R"({"preset": "sage", "dropout": 0})", R"({"preset": "mlp", "dropout": 0})",
      R"({"blocks": [{"type": "gat", "heads": 1, "width": "outputs", "mask": "k_hop:2"}]})",
      R"({"blocks": [{"type": "convolution", "width": "outputs", "mask": "k_hop:2"}]})",
      R"({"blocks": [{"type": "linear", "width": "outputs"}, {"type": "appnp", "steps": 2}]})");
  const train::GraphLayout layout{.items = GENERATE(std::size_t{0}, std::size_t{300})};
  INFO(config << " of " << layout.items << " items");
  nn::Model model = make_model(config);
  const graph::FrozenGraph frozen = graph::freeze(test::chorded_ring(), model.graph_options());
  const data::Features features = test::noise_on_ring(5);
  NodeBatches whole(features, frozen);
  const Pass expected = train_on_items(model, whole, true);

  const data::Features spoilt = spoilt_beyond(frozen, *model.reach(true), features);
  NodeBatches part(spoilt, frozen, {}, layout);
  const Pass some = train_on_items(model, part, false);
  if (layout.items == 0) CHECK(some.outputs == expected.outputs);
  check_close({some.outputs}, {expected.outputs});  // steps may sum before they map
  check_close(some.gradients, expected.gradients);

  std::vector<graph::Node> order(test::kRingNodes);
  std::iota(order.rbegin(), order.rend(), graph::Node{0});
  const graph::FrozenGraph reversed = graph::permute(frozen, order);
  data::Features reversed_features;
  reversed_features.dense = graph::permute_rows(spoilt.dense, order);
  NodeBatches reordered(reversed_features, reversed, order, layout);
  const Pass again = train_on_items(model, reordered, false);
  check_close({again.outputs}, {expected.outputs});
  check_close(again.gradients, expected.gradients);
}

TEST_CASE("batches of nodes refuse labels, orders and items that do not exist", "[train][batches]") {
  nn::Model model = make_model(R"({"preset": "mlp"})");
  const graph::FrozenGraph frozen = graph::freeze(test::chorded_ring(), model.graph_options());
  const data::Features features = test::noise_on_ring(5);
  CHECK_THROWS_AS(NodeBatches(features, frozen, {}, {}, {.columns = 6}), UsageError);
  CHECK_THROWS_AS(NodeBatches(features, frozen, {1, 0}), UsageError);
  NodeBatches batches(features, frozen);
  autograd::Tape tape(false);
  const std::vector<graph::Node> beyond = {0, test::kRingNodes};
  CHECK_THROWS_AS(batches.forward(model, {.tape = tape}, beyond), UsageError);
}

TEST_CASE("batch_norm moments are computed over all rows", "[train][batches]") {
  nn::Model model = make_model(R"({"preset": "gat", "hidden": 16, "norm": "batch"})");
  const graph::FrozenGraph frozen = graph::freeze(test::chorded_ring(), model.graph_options());
  CHECK_FALSE(model.reach(true));
  const data::Features spoilt = spoilt_beyond(frozen, model.reach(false).value(), test::noise_on_ring(5));
  NodeBatches batches(spoilt, frozen);
  autograd::Tape tape(false);
  CHECK(batches.forward(model, {.tape = tape}, kItems).value().allFinite());
  CHECK_FALSE(train_on_items(model, batches, false).outputs.allFinite());
}

TEST_CASE("with hidden labels items see those of others but not their own", "[train][batches][label_input]") {
  nn::Model model = make_model(R"({"preset": "gat", "hidden": 16, "dropout": 0, "attention_dropout": 0})");
  const graph::FrozenGraph frozen = graph::freeze(test::chorded_ring(), model.graph_options());
  std::vector<graph::Node> known = kItems;
  known.push_back(43);  // a neighbour of an item
  data::Features features = spoilt_beyond(frozen, 3, test::noise_on_ring(5));
  const auto pass = [&](bool goes_over_all) {
    NodeBatches batches(features, frozen, {}, {}, {.columns = 2, .share = 0.5, .known = known});
    return train_on_items(model, batches, goes_over_all);
  };
  const Pass before = pass(false);
  CHECK(before.outputs == pass(true).outputs);
  check_close(before.gradients, pass(false).gradients);
  for (const graph::Node item : kItems) features.dense.row(item).tail(2).setConstant(100);
  CHECK(pass(false).outputs == before.outputs);
  features.dense.row(43).tail(2).setConstant(100);
  CHECK_FALSE(pass(false).outputs == before.outputs);
}

TEST_CASE("passes for different items, all items or none, alternate", "[train][batches]") {
  nn::Model model = make_model(R"({"preset": "gat", "hidden": 16})");
  const graph::FrozenGraph frozen = graph::freeze(test::chorded_ring(), model.graph_options());
  const data::Features features = test::noise_on_ring(5);
  NodeBatches batches(features, frozen);
  autograd::Tape tape(false);
  const Matrix all = batches.forward(model, {.tape = tape}, {}).value();
  REQUIRE(all.rows() == test::kRingNodes);
  for (int turn = 0; turn < 2; ++turn)
    for (graph::Node first = 0; first < 12; ++first) {  // more than are cached
      const std::vector<graph::Node> items = {first, 200};
      const Matrix some = batches.forward(model, {.tape = tape}, items).value();
      CHECK(some == Matrix(all(items, Eigen::all)));
    }
  std::vector<graph::Node> every(test::kRingNodes);
  std::iota(every.begin(), every.end(), graph::Node{0});
  CHECK(batches.forward(model, {.tape = tape}, every).value() == all);
  CHECK(batches.of_evaluation(model, {}).empty());
}
