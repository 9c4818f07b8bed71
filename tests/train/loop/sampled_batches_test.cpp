#include "edgewise/train/loop/sampled_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/select_rows.hpp"
#include "edgewise/graph/permutation.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "support/chorded_ring.hpp"
#include "support/frozen_ring.hpp"
#include "support/gradient_check.hpp"
#include "support/presets.hpp"
#include "support/random_sparse.hpp"
#include "support/range.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_job.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using train::NodeBatches;
using train::SampledBatches;
using train::TrainOptions;

namespace {

struct SampledPass {
  Matrix outputs;
  std::vector<Matrix> gradients;
};

/// A training pass for some items, and the gradients of a weighted sum of its outputs, the same for the same item.
SampledPass pass_over(nn::Model& model, train::Batches& batches, std::span<const graph::Node> items) {
  autograd::Tape tape(true);
  const autograd::Variable outputs = batches.forward(model, {.tape = tape, .is_training = true, .seed = 7}, items);
  for (autograd::Parameter* parameter : model.parameters()) parameter->gradient.setZero();
  const Matrix weights =
      test::random_matrix(test::kRingNodes, outputs.cols(), 5)(std::vector<graph::Node>(items.begin(), items.end()),
                                                                Eigen::all);
  tape.backward(test::weighted_sum(outputs, weights));
  SampledPass pass{.outputs = outputs.value(), .gradients = {}};
  for (autograd::Parameter* parameter : model.parameters()) pass.gradients.push_back(parameter->gradient);
  return pass;
}

void check_same_pass(const SampledPass& some, const SampledPass& expected) {
  CHECK((some.outputs - expected.outputs).norm() <= 1e-5F * (1 + expected.outputs.norm()));
  REQUIRE(some.gradients.size() == expected.gradients.size());
  for (std::size_t i = 0; i < some.gradients.size(); ++i) {
    CAPTURE(i);
    CHECK((some.gradients[i] - expected.gradients[i]).norm() <= 2e-5F * (1 + expected.gradients[i].norm()));
  }
}

nn::Model sampled_model(const std::string& config, int inputs = 5) {
  const json::Value model = nn::expand_model(json::parse(config, "model"));
  const bool has_weights = nn::graph_options_of(model).weight_as_feature;
  return nn::Model(model, {.inputs = inputs, .outputs = 3, .edge_features = has_weights ? 1 : 0}, 3);
}

/// The ring with edges of two relations, and one more feature.
graph::Graph relational_ring() {
  graph::EdgeList edges = test::chorded_ring().edges();
  edges.weights.clear();
  edges.features = test::random_matrix(static_cast<Eigen::Index>(edges.size()), 3, 7);
  for (Eigen::Index e = 0; e < edges.features.rows(); ++e) {
    edges.features(e, 0) = e % 3 == 0 ? 1.0F : 0.0F;
    edges.features(e, 1) = 1 - edges.features(e, 0);
  }
  return {graph::NodeNames::numbered(test::kRingNodes), std::move(edges), {.direction = graph::Direction::directed}};
}

const train::Sampling kAllEdges[] = {graph::NeighbourSampling{.fan_outs = {100}},  // more than the hub has
                                graph::ClusterSampling{.clusters = 4, .at_once = 4}};

std::vector<Matrix> weights_of(nn::Model& model) {
  std::vector<Matrix> all;
  for (autograd::Parameter* parameter : model.parameters()) all.push_back(parameter->value);
  for (const auto& [name, matrix] : model.state()) all.push_back(*matrix);
  return all;
}

/// Two groups, with a training over samples of them.
struct SampledToy {
  explicit SampledToy(const std::string& sample, data::Task task = data::Task::classification)
      : data(test::two_groups(task)), sample(sample) {}

  data::NodeData data;
  std::string sample;
  nn::Model model = test::make_model(data);
  graph::FrozenGraph frozen = graph::freeze(data.graph, model.graph_options());

  train::Report fit(const TrainOptions& options, const train::FitHooks& hooks = {}) {
    SampledBatches batches(train::read_sampling(sample, false, 8), data.features, frozen);
    return train::fit(model, batches, data.labels, data.splits[0], options, hooks);
  }
};

TrainOptions brief(std::int64_t epochs) {
  TrainOptions options;
  options.epochs = epochs;
  options.learning_rate = 0.02;
  options.seed = 3;
  return options;
}

}  // namespace

TEST_CASE("a step over a sample of all edges equals one over the graph", "[train][sampled]") {
  const auto config = GENERATE(
      as<std::string>(), R"({"preset": "gat", "dropout": 0, "attention_dropout": 0, "residual": true})",
      R"({"preset": "gat", "dropout": 0, "attention_dropout": 0, "residual": "pre_norm", "norm": "layer"})",
      R"({"preset": "gatv2", "dropout": 0, "attention_dropout": 0, "graph": {"weight_as_feature": true}})",
      R"({"preset": "gatv2", "dropout": 0, "attention_dropout": 0, "share_weights": true, "residual": "post_norm",
          "norm": "layer"})",
      R"({"preset": "bahdanau", "dropout": 0, "attention_dropout": 0, "layers": 3})",
      R"({"preset": "transformer", "dropout": 0, "attention_dropout": 0})", R"({"preset": "gcn", "dropout": 0})",
      R"({"preset": "gcn", "dropout": 0, "edge_weights": true, "graph": {"weight_as_feature": true}})",
      R"({"preset": "gcn2", "dropout": 0, "layers": 3})",
      R"({"preset": "grand", "dropout": 0, "node_dropout": 0, "layers": 3})",
      R"({"preset": "sage", "dropout": 0, "layers": 3})", R"({"preset": "mlp", "dropout": 0})",
      R"({"preset": "gat_sep", "dropout": 0, "attention_dropout": 0})",
      R"({"preset": "gatv2_sep", "dropout": 0, "attention_dropout": 0})",
      R"({"preset": "transformer_sep", "dropout": 0, "attention_dropout": 0})",
      R"({"preset": "gps", "dropout": 0, "attention_dropout": 0, "global": "none", "norm": "layer"})",
      R"({"graph": {"weight_as_feature": true}, "blocks": [{"type": "convolution", "width": 4, "mask": "edges"},
          {"type": "activation", "function": "relu"}, {"type": "convolution", "width": "outputs", "mask": "edges"}]})",
      R"({"blocks": [{"type": "parallel", "branches": [[{"type": "sage", "width": 4}, {"type": "sage", "width": 4}],
                      [{"type": "gat", "heads": 2, "width": 2}], [{"type": "linear", "width": 4}]]},
                     {"type": "sage", "width": "outputs"}]})");
  INFO(config);
  nn::Model model = sampled_model(config);
  const graph::FrozenGraph frozen = graph::freeze(test::chorded_ring(), model.graph_options());
  const data::Features features = test::noise_on_ring(5);
  const std::vector<graph::Node> items = {42, 3, 299, 150, 17};
  for (const train::Sampling& sampling : kAllEdges) {
    SampledBatches sampled(sampling, features, frozen);
    sampled.check_fits(model);
    const auto steps = sampled.training_batches(model, items, 3, 0);
    REQUIRE(steps.size() == 1);
    NodeBatches whole(features, frozen);
    check_same_pass(pass_over(model, sampled, steps[0]), pass_over(model, whole, steps[0]));
    for (const float factor : sampled.loss_weights()) CHECK(factor == 1);
  }
}

TEST_CASE("a step over a sample of all edges of relations equals one over the graph", "[train][sampled]") {
  const auto config = GENERATE(
      as<std::string>(), R"({"preset": "rgcn", "relations": 2, "dropout": 0, "layers": 3})",
      R"({"preset": "rgcn", "relations": 2, "dropout": 0, "bases": 1, "aggregate": "sum"})",
      R"({"preset": "rgat", "relations": 2, "dropout": 0})", R"({"preset": "hgt", "relations": 2, "dropout": 0})");
  INFO(config);
  nn::Model model(nn::expand_model(json::parse(config, "model")), {.inputs = 5, .outputs = 3, .edge_features = 3}, 3);
  const graph::FrozenGraph frozen = graph::freeze(relational_ring());
  const data::Features features = test::noise_on_ring(5);
  const std::vector<graph::Node> items = {42, 3, 299, 150, 17};
  const train::Sampling of_each = graph::NeighbourSampling{.fan_outs = {100}, .relations = 2};
  for (const train::Sampling& sampling : {kAllEdges[0], of_each, kAllEdges[1]}) {
    SampledBatches sampled(sampling, features, frozen);
    sampled.check_fits(model);
    const auto steps = sampled.training_batches(model, items, 3, 0);
    NodeBatches whole(features, frozen);
    check_same_pass(pass_over(model, sampled, steps[0]), pass_over(model, whole, steps[0]));
  }
}

TEST_CASE("sampled steps see sparse features and hidden labels as whole ones do", "[train][sampled]") {
  const bool is_sparse = GENERATE(false, true);
  const auto config = GENERATE(as<std::string>(), R"({"preset": "sage", "dropout": 0})",
                               R"({"preset": "gatv2", "dropout": 0, "attention_dropout": 0, "residual": true})");
  nn::Model model = sampled_model(config, 20);
  const graph::FrozenGraph frozen = graph::freeze(test::chorded_ring(), model.graph_options());
  data::Features features;
  features.is_sparse = is_sparse;
  const SparseMatrix rows = test::random_sparse(test::kRingNodes, 20, 0.3);
  if (is_sparse)
    features.sparse = rows;
  else
    features.dense = Matrix(rows);
  const train::MaskedLabels labels{.columns = 3, .share = 0.5, .known = {42, 3, 299, 150, 17, 99}};
  const std::vector<graph::Node> order = [] {
    std::vector<graph::Node> reversed = test::range(0, test::kRingNodes);
    std::ranges::reverse(reversed);
    return reversed;
  }();
  const graph::FrozenGraph permuted = graph::permute(frozen, order);
  const data::Features moved = data::select_rows(features, order);
  SampledBatches sampled(kAllEdges[0], moved, permuted, order, labels);
  const auto steps = sampled.training_batches(model, labels.known, 3, 0);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].size() == 3);
  NodeBatches whole(features, frozen, {}, {}, labels);
  check_same_pass(pass_over(model, sampled, steps[0]), pass_over(model, whole, steps[0]));
  autograd::Tape tape(false);
  CHECK(sampled.forward(model, {.tape = tape}, labels.known)
            .value()
            .isApprox(whole.forward(model, {.tape = tape}, labels.known).value(), 1e-5F));
}

TEST_CASE("trainings over samples learn every task", "[train][sampled]") {
  const auto sample = GENERATE(as<std::string>(), "3,3", "clusters:6/3", "walks:12x2");
  INFO(sample);
  CHECK(train::metric(SampledToy(sample).fit(brief(60)).test, "accuracy") > 0.8);
  CHECK(train::metric(SampledToy(sample, data::Task::multilabel).fit(brief(60)).test, "macro_f1") > 0.8);
  CHECK(train::metric(SampledToy(sample, data::Task::regression).fit(brief(60)).test, "r2") > 0.3);
  TrainOptions balanced = brief(60);
  balanced.class_weights.kind = train::ClassWeights::Kind::balanced;
  CHECK(train::metric(SampledToy(sample).fit(balanced).test, "accuracy") > 0.8);
}

TEST_CASE("a training over samples ends in the same bits at any number of threads", "[train][sampled]") {
  const auto sample = GENERATE(as<std::string>(), "3,3", "clusters:6/3", "walks:12x2");
  const int before = threads();
  std::vector<std::vector<Matrix>> found;
  for (const int count : {1, 2}) {
    set_threads(count);
    SampledToy toy(sample);
    toy.fit(brief(5));
    found.push_back(weights_of(toy.model));
  }
  set_threads(before);
  CHECK(found[0] == found[1]);
}

TEST_CASE("a step over a sample has the same bits at any number of threads", "[train][sampled]") {
  std::vector<std::string> configs = {
      R"({"blocks": [{"type": "layer_norm"}, {"type": "sage", "width": "outputs"}]})",
      R"({"blocks": [{"type": "activation", "function": "elu"}, {"type": "sage", "width": "outputs"}]})",
      R"({"blocks": [{"type": "activation", "function": "gelu"}, {"type": "sage", "width": "outputs"}]})",
      R"({"blocks": [{"type": "dropout", "probability": 0.3, "rows": true}, {"type": "sage", "width": "outputs"}]})",
      R"({"blocks": [{"type": "residual", "blocks": [{"type": "sage", "width": 256}]},
                     {"type": "linear", "width": "outputs"}]})"};
  for (const std::string& preset : test::presets_of_nodes())
    configs.push_back(fmt::format(R"({{"preset": "{}", "dropout": 0.5}})", preset));
  const data::Features features = test::noise_on_ring(256);  // its rows are several pieces of each operation's work
  const std::vector<graph::Node> items = test::range(0, test::kRingNodes);
  const int before = threads();
  for (const std::string& config : configs) {
    nn::Model model = sampled_model(config, 256);
    if (!model.sampled_steps()) continue;
    const graph::FrozenGraph frozen = graph::freeze(test::chorded_ring(), model.graph_options());
    for (const char* sample : {"4", "clusters:6/3", "walks:100x2"}) {
      CAPTURE(config, sample);
      SampledPass expected;
      for (const int count : {1, 2, 3, 8}) {
        CAPTURE(count);
        set_threads(count);
        SampledBatches batches(train::read_sampling(sample, false, test::kRingNodes), features, frozen);
        const SampledPass found = pass_over(model, batches, batches.training_batches(model, items, 3, 0).front());
        if (count == 1) expected = found;
        const bool are_same = found.outputs == expected.outputs && found.gradients == expected.gradients;
        CHECK(are_same);  // not the matrices, which would fill pages
      }
      set_threads(before);
    }
  }
}

TEST_CASE("a training over samples goes on in the same bits", "[train][sampled][checkpoint]") {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "run.checkpoint").string();
  const auto sample = GENERATE(as<std::string>(), "3,3", "clusters:6/3", "walks:12x2");
  TrainOptions options = brief(8);
  options.sample = sample;
  SampledToy whole(sample);
  whole.fit(options);
  SampledToy first(sample);
  train::FitHooks stop;
  int epochs = 0;
  stop.should_stop = [&] { return ++epochs == 3; };
  stop.checkpoint = path;
  first.fit(options, stop);
  SampledToy second(sample);
  train::FitHooks go_on;
  go_on.resume = path;
  second.fit(options, go_on);
  CHECK(weights_of(second.model) == weights_of(whole.model));
  options.sample = "4,4";
  CHECK_THROWS_WITH(SampledToy(sample).fit(options, go_on), Contains("another training"));
}

TEST_CASE("samples are for the planned batches in their order, and models that follow edges", "[train][sampled]") {
  SampledToy toy("3,3");
  SampledBatches batches(train::read_sampling("3,3", false, 8), toy.data.features, toy.frozen);
  autograd::Tape tape;
  const train::PassOptions pass{.tape = tape, .is_training = true};
  const std::vector<graph::Node> items = test::range(0, 20);
  CHECK_THROWS_AS(batches.forward(toy.model, pass, items), UsageError);
  const auto steps = batches.training_batches(toy.model, items, 1, 0);
  REQUIRE(steps.size() == 3);
  CHECK(batches.forward(toy.model, pass, steps[0]).rows() == 8);
  CHECK_THROWS_AS(batches.forward(toy.model, pass, steps[0]), UsageError);
  CHECK(batches.forward(toy.model, pass, steps[1]).rows() == 8);
  batches.training_batches(toy.model, items, 1, 1);  // an epoch that is given up
  const nn::Model global = sampled_model(R"({"preset": "gps"})");
  const nn::Model deep = sampled_model(R"({"preset": "sage", "layers": 3})");
  CHECK_THROWS_WITH(batches.check_fits(global), Contains("training.sample: the model does"));
  CHECK_THROWS_WITH(batches.check_fits(deep), Contains("expected 3 fan-outs"));
  CHECK_THROWS_AS(batches.check_fits(sampled_model(R"({"preset": "sage"})", 6)), ModelError);
}

TEST_CASE("a step over a sample of a frozen network is one over the same sample in memory", "[train][sampled]") {
  const auto config = GENERATE(as<std::string>(), R"({"preset": "sage", "dropout": 0.2})",
                               R"({"preset": "gatv2", "graph": {"weight_as_feature": true}})",
                               R"({"preset": "rgcn", "graph": {"weight_as_feature": true}})",
                               R"({"preset": "rgat", "graph": {"weight_as_feature": true}})",
                               R"({"preset": "hgt", "graph": {"weight_as_feature": true}})",
                               R"({"preset": "gcn", "edge_weights": true, "graph": {"weight_as_feature": true}})");
  const auto sample = GENERATE(as<std::string>(), "3,2", "walks:40x2");
  const std::size_t parts = GENERATE(1, 5);
  CAPTURE(config, sample, parts);
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), parts);
  const auto network = std::make_shared<const data::FrozenNetwork>(ring.path);
  std::vector<graph::Node> order;
  const graph::NodeNames names = network->names();
  for (graph::Node node = 0; node < names.size(); ++node) order.push_back(ring.graph.names().find(names[node]).value());
  nn::Model model = sampled_model(config);
  const graph::FrozenGraph graph = graph::permute(graph::freeze(ring.graph, model.graph_options()), order);
  const data::Features features = data::select_rows(ring.features, order);
  const train::Sampling sampling = train::read_sampling(sample, false, 32);
  SampledBatches from_file(sampling, network, model.graph_options());
  from_file.check_fits(model);
  SampledBatches in_memory(sampling, features, graph);
  const std::vector<graph::Node> items = test::range(20, 120);
  const auto steps = from_file.training_batches(model, items, 3, 0);
  REQUIRE(steps == in_memory.training_batches(model, items, 3, 0));
  for (const auto& step : steps) {
    const SampledPass found = pass_over(model, from_file, step), expected = pass_over(model, in_memory, step);
    CHECK(found.outputs == expected.outputs);
    for (std::size_t i = 0; i < expected.gradients.size(); ++i) CHECK(found.gradients[i] == expected.gradients[i]);
  }
}

TEST_CASE("a training over samples of a frozen network ends in the same bits whoever trains it", "[train][sampled]") {
  const auto sample = GENERATE(as<std::string>(), "3,3", "clusters:6/3", "walks:40x2");
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 4);
  const auto train = [&](int count, train::PartHolding holding) {
    const int before = threads();
    set_threads(count);
    const auto network = std::make_shared<const data::FrozenNetwork>(ring.path);
    nn::Model model = sampled_model(R"({"preset": "gatv2", "hidden": 8})");
    SampledBatches batches(train::read_sampling(sample, false, 32), network, model.graph_options(), std::move(holding));
    const train::Report report = train::fit(model, batches, network->labels(), network->split().value(), brief(4));
    set_threads(before);
    std::vector<Matrix> all = weights_of(model);
    all.push_back(Matrix::Constant(1, 1, static_cast<float>(train::metric(report.test, "accuracy"))));
    return all;
  };
  const std::vector<Matrix> expected = train(1, {});
  CHECK(train(2, {}) == expected);
  CHECK(train(1, {.memory = 1, .folder = folder.path().string()}) == expected);
}

TEST_CASE("a frozen network that was changed is refused before a sample of it is drawn", "[train][sampled]") {
  const auto sample = GENERATE(as<std::string>(), "3,3", "clusters:6/3", "walks:40x2");
  const test::TemporaryDirectory folder;
  const test::FrozenRing ring(folder.path("ring.edgewise"), 3);
  const nn::Model model = sampled_model(R"({"preset": "gatv2", "hidden": 8})");
  const auto prepare = [&] {
    const auto network = std::make_shared<const data::FrozenNetwork>(ring.path);
    network->names(), network->labels(), network->split();
    const SampledBatches batches(train::read_sampling(sample, false, 32), network, model.graph_options());
  };
  prepare();
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(ring.path));
  for (std::streamoff at = 4096; at < size; at += 4096) {  // where sections begin
    CAPTURE(at);
    std::fstream file(ring.path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char byte = static_cast<char>(file.get());
    const auto put = [&](char value) { file.seekp(at).put(value).flush(); };
    put(static_cast<char>(byte ^ 4));
    CHECK_THROWS_WITH(prepare(), Contains("the section") && Contains("was changed"));
    put(byte);
  }
}
