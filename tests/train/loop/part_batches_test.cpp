#include "edgewise/train/loop/part_batches.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/permutation.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "support/frozen_ring.hpp"
#include "support/gradient_check.hpp"
#include "support/presets.hpp"
#include "support/thread_ranks.hpp"

using namespace edgewise;
using train::PartBatches;

namespace {

nn::Model ring_model(const json::Value& config) {
  const bool has_weights = nn::graph_options_of(config).weight_as_feature;
  return nn::Model(config, {.inputs = 5, .outputs = 3, .edge_features = has_weights ? 1 : 0}, 3);
}

/// Models of all presets that follow edges, without dropout if that is asked for, and of other blocks that do.
std::vector<json::Value> edge_models(bool has_dropout) {
  std::vector<json::Value> configs;
  for (const std::string& name : test::presets_of_nodes()) {
    json::Value config = json::Object{{"preset", name}, {"hidden", 32}};
    if (!has_dropout) config.set("dropout", 0);
    for (const char* member : {"attention_dropout", "feature_dropout", "node_dropout"}) {
      json::Value with = config;
      with.set(member, has_dropout ? 0.3 : 0.0);
      try {
        nn::expand_model(with);
        config = with;
      } catch (const UsageError&) {  // the preset has no such dropout
      }
    }
    configs.push_back(config);
  }
  for (const char* text :
       {R"({"preset": "gatv2", "hidden": 8, "norm": "batch", "dropout": 0,
                               "attention_dropout": 0})",
        R"({"preset": "gat", "hidden": 8, "dropout": 0, "attention_dropout": 0, "graph": {"weight_as_feature": true}})",
        R"({"preset": "gcn", "hidden": 8, "dropout": 0, "graph": {"weight_as_feature": true},
                               "edge_weights": true})",
        R"({"graph": {"weight_as_feature": true},
                               "blocks": [{"type": "convolution", "width": "outputs"}]})"})
    configs.push_back(json::parse(text, "model"));
  std::erase_if(configs, [](const json::Value& config) {
    const nn::Model model = ring_model(config);
    return std::ranges::any_of(model.masks(), [](const nn::MaskShape& mask) { return mask.name != "edges"; });
  });
  return configs;
}

/// The order of the nodes in the file.
std::vector<graph::Node> order_of(const data::FrozenNetwork& network, const graph::Graph& graph) {
  std::vector<graph::Node> order;
  const graph::NodeNames names = network.names();
  for (graph::Node node = 0; node < names.size(); ++node) order.push_back(graph.names().find(names[node]).value());
  return order;
}

struct PassOverRing {
  Matrix outputs;
  std::vector<Matrix> gradients;
};

/// A training pass for every third node.
PassOverRing train_on_some(nn::Model& model, train::Batches& batches, std::span<const graph::Node> place) {
  std::vector<graph::Node> items;
  for (graph::Node node = 0; node < test::kRingNodes; node += 3) items.push_back(place[node]);
  autograd::Tape tape(true);
  const autograd::Variable outputs = batches.forward(model, {.tape = tape, .is_training = true, .seed = 4}, items);
  for (autograd::Parameter* parameter : model.parameters()) parameter->gradient.setZero();
  tape.backward(test::weighted_sum(outputs, test::random_matrix(outputs.rows(), outputs.cols(), 5)));
  PassOverRing pass{.outputs = outputs.value(), .gradients = {}};
  for (autograd::Parameter* parameter : model.parameters()) pass.gradients.push_back(parameter->gradient);
  return pass;
}

/// All weights after some epochs, with the losses.
std::vector<Matrix> weights_after_training(const json::Value& config, const test::FrozenRing& ring,
                                           const train::PartHolding& holding) {
  const auto network = std::make_shared<const data::FrozenNetwork>(ring.path);
  nn::Model model = ring_model(config);
  PartBatches batches(network, holding);
  std::vector<Matrix> result;
  train::FitHooks hooks;
  hooks.on_epoch = [&](const train::EpochRecord& record) {
    result.push_back(Matrix::Constant(1, 1, static_cast<float>(record.loss)));
  };
  train::fit(model, batches, network->labels(), network->split().value(), {.epochs = 3}, hooks);
  for (const autograd::Parameter* parameter : model.parameters()) result.push_back(parameter->value);
  for (const auto& [name, state] : model.state()) result.push_back(*state);
  return result;
}

bool are_same_bits(const std::vector<Matrix>& some, const std::vector<Matrix>& others) {
  return std::ranges::equal(some, others, [](const Matrix& a, const Matrix& b) {
    return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
  });
}

}  // namespace

TEST_CASE("a step over parts is the step over all nodes at once", "[train][parts]") {
  const test::TemporaryDirectory folder;
  const std::size_t parts = GENERATE(1, 5);
  const test::FrozenRing ring(folder.path("ring.edgewise"), parts);
  const auto network = std::make_shared<const data::FrozenNetwork>(ring.path);
  const std::vector<graph::Node> order = order_of(*network, ring.graph), place = graph::inverse(order);
  std::vector<graph::Node> as_given(order.size());
  std::iota(as_given.begin(), as_given.end(), graph::Node{0});
  for (const json::Value& config : edge_models(false)) {
    CAPTURE(parts, json::dump(config));
    nn::Model model = ring_model(config);
    const graph::FrozenGraph graph = graph::freeze(ring.graph, model.graph_options());
    train::NodeBatches whole(ring.features, graph);
    const PassOverRing expected = train_on_some(model, whole, as_given);
    PartBatches batches(network);
    batches.check_fits(model);
    const PassOverRing found = train_on_some(model, batches, place);
    CHECK((found.outputs - expected.outputs).norm() <= 1e-5F * (1 + expected.outputs.norm()));
    for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
      CAPTURE(i);
      CHECK((found.gradients[i] - expected.gradients[i]).norm() <= 1e-4F * (1 + expected.gradients[i].norm()));
    }
  }
}

TEST_CASE("models trained in memory, from the disk and on any number of threads are the same bits", "[train][parts]") {
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 5);
  for (const json::Value& config : edge_models(true)) {
    CAPTURE(json::dump(config));
    const std::vector<Matrix> expected = weights_after_training(config, ring, {});
    CHECK(
        are_same_bits(weights_after_training(config, ring, {.memory = 1, .folder = folder.path().string()}), expected));
    const int before = threads();
    set_threads(before == 1 ? 2 : 1);
    CHECK(are_same_bits(weights_after_training(config, ring, {}), expected));
    set_threads(before);
  }
}

TEST_CASE("models trained on several ranks are the same bits on each", "[train][parts]") {
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 5);
  for (const json::Value& config : edge_models(true)) {
    CAPTURE(json::dump(config));
    const std::vector<Matrix> expected = weights_after_training(config, ring, {});
    for (const std::size_t count : {2, 3}) {
      std::vector<std::vector<Matrix>> found(count);
      test::run_on_ranks(count, [&](train::Ranks& ranks) {
        const train::PartHolding holding{
            .memory = ranks.index() == 0 ? 1U : 0U, .folder = folder.path().string(), .ranks = &ranks};
        found[ranks.index()] = weights_after_training(config, ring, holding);
      });
      for (const std::vector<Matrix>& weights : found) CHECK(are_same_bits(weights, expected));
    }
  }
}

TEST_CASE("ranks exchange the rows of halos, and nothing else", "[train][parts]") {
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 4);
  const auto network = std::make_shared<const data::FrozenNetwork>(ring.path);
  std::uint64_t rows = 0;
  for (std::size_t part = 0; part < 4; ++part)
    for (const graph::Node node : network->halo(part)) rows += network->part_of(node) / 2 != part / 2 ? 1 : 0;
  REQUIRE(rows > 0);
  std::vector<train::PassCost> costs(2);
  test::run_on_ranks(2, [&](train::Ranks& ranks) {
    nn::Model model = ring_model(json::parse(R"({"preset": "gatv2", "hidden": 8, "norm": "none"})", "model"));
    PartBatches batches(std::make_shared<const data::FrozenNetwork>(ring.path), {.ranks = &ranks});
    autograd::Tape tape;
    const autograd::Variable outputs = batches.forward(model, {.tape = tape, .is_training = true}, {});
    tape.backward(test::weighted_sum(outputs, test::random_matrix(outputs.rows(), outputs.cols(), 5)));
    costs[ranks.index()] = batches.cost();
  });
  CHECK(costs[0].columns > 0);
  CHECK(costs[0].columns == costs[1].columns);
  CHECK(costs[0].sent_bytes + costs[1].sent_bytes == rows * costs[0].columns * sizeof(float));
}

TEST_CASE("a pass that is not recorded gives the outputs of one that is, whoever holds the parts", "[train][parts]") {
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 5);
  const auto network = std::make_shared<const data::FrozenNetwork>(ring.path);
  for (const json::Value& config : edge_models(false)) {
    CAPTURE(json::dump(config));
    const auto outputs = [&](const train::PartHolding& holding, bool is_recorded) {
      nn::Model model = ring_model(config);
      PartBatches batches(network, holding);
      autograd::Tape tape(is_recorded);
      batches.forward(model, {.tape = tape}, {});  // the second one uses the memory of the first
      tape.reset();
      return Matrix(batches.forward(model, {.tape = tape}, {}).value());
    };
    const Matrix expected = outputs({}, true);
    const train::PartHolding disk{.memory = 1, .folder = folder.path().string()};
    CHECK(are_same_bits({outputs({}, false), outputs(disk, false)}, {expected, expected}));
    test::run_on_ranks(3, [&](train::Ranks& ranks) {
      const train::PartHolding holding{
          .memory = ranks.index() == 0 ? 1U : 0U, .folder = folder.path().string(), .ranks = &ranks};
      const Matrix found = outputs(holding, false);
      if (ranks.index() == 2) CHECK(are_same_bits({found}, {expected}));
    });
  }
}

TEST_CASE("a pass that is not recorded spills what two layers take, however many there are", "[train][parts]") {
  constexpr int kColumns = 256;
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 20);
  const auto network = std::make_shared<const data::FrozenNetwork>(ring.path);
  // Tables of a row for each node, with those that a block makes before it reaches along edges.
  const auto spilled_tables = [&](const char* preset, int layers, bool is_recorded) {
    nn::Model model = ring_model(json::Object{{"preset", preset}, {"hidden", kColumns}, {"layers", layers}});
    PartBatches batches(network, {.memory = 1, .folder = folder.path().string()});
    autograd::Tape tape(is_recorded);
    batches.forward(model, {.tape = tape}, {});
    return static_cast<double>(batches.cost().spilled_bytes) / (test::kRingNodes * kColumns * sizeof(float));
  };
  CHECK(spilled_tables("sage", 2, false) < 1);
  for (const auto& [preset, most] : {std::pair("sage", 3.5), {"gatv2", 4.5}, {"transformer", 8.0}, {"gcn2", 7.0}}) {
    CAPTURE(preset);
    CHECK(spilled_tables(preset, 5, false) < most);
    CHECK(spilled_tables(preset, 8, false) < most);
    CHECK(spilled_tables(preset, 8, true) > 2 * most);
  }
}

TEST_CASE("parts refuse models that see nodes by other ways than their edges", "[train][parts]") {
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 2);
  const PartBatches batches(std::make_shared<const data::FrozenNetwork>(ring.path));
  const auto check = [&](const char* config) { batches.check_fits(ring_model(json::parse(config, "model"))); };
  CHECK_THROWS_WITH(check(R"({"blocks": [{"type": "gat", "heads": 1, "width": "outputs", "mask": "complete"}]})"),
                    Catch::Contains("\"complete\""));
  CHECK_THROWS_WITH(check(R"({"preset": "gat", "graph": {"flow": "target_to_source"}})"),
                    Catch::Contains("reverses the edges"));
  const nn::Model wide(json::parse(R"({"preset": "mlp"})", "model"), {.inputs = 6, .outputs = 3}, 1);
  CHECK_THROWS_WITH(batches.check_fits(wide), Catch::Contains("5 feature columns"));
}

TEST_CASE("attention and embeddings of parts are not recorded", "[train][parts]") {
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 2);
  PartBatches batches(std::make_shared<const data::FrozenNetwork>(ring.path));
  nn::Model model = ring_model(json::parse(R"({"preset": "gat"})", "model"));
  autograd::Tape tape(false);
  Matrix rows;
  CHECK_THROWS_AS(batches.forward(model, {.tape = tape, .embeddings = &rows}, {}), UsageError);
}
