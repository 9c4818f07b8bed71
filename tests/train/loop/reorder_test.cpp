#include "edgewise/train/loop/reorder.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/permutation.hpp"
#include "edgewise/graph/random_graphs.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/loop/checkpoint.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "support/gradient_check.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_files.hpp"
#include "train/toy_job.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> kNames = {"degree", "cuthill_mckee", "clustering"};

struct Reordered {
  data::Features features;
  graph::FrozenGraph graph;
  NodeOrder order;

  Reordered(const data::Features& given, const graph::FrozenGraph& frozen, const std::string& name)
      : features(given), graph(frozen), order(reorder(name, 1, graph, features)) {}
  NodeBatches batches() const { return {features, graph, order.nodes}; }
};

float largest_difference(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

train::Config friends_config(const test::TemporaryDirectory& directory) {
  test::write_friends(directory.path());
  train::Config config = train::parse_config(json::parse(
      R"({"model": {"hidden": 8, "heads": 2, "dropout": 0.2, "attention_dropout": 0.2},
          "training": {"epochs": 60, "learning_rate": 0.02, "patience": 30}})",
      "config"));
  config.data.edges = (directory.path() / "friends.csv").string();
  config.data.nodes = (directory.path() / "people.csv").string();
  config.data.label = {"buys"};
  return config;
}

}  // namespace

TEST_CASE("predictions do not depend on the internal order of nodes", "[train][reorder]") {
  data::NodeData data = test::two_groups(data::Task::classification);
  const graph::FrozenGraph frozen = graph::freeze(data.graph, {.self_loops = graph::AddSelfLoops::yes});
  nn::Model model = test::make_model(data);
  for (const bool is_sparse : {false, true}) {
    data::Features features = data.features;
    features.is_sparse = is_sparse;
    if (is_sparse) features.sparse = data.features.dense.sparseView();
    std::vector<nn::AttentionRecord> expected_attention;
    const Matrix expected =
        predict(model, features, frozen, data::Task::classification, {}, &expected_attention);
    for (const std::string& name : kNames) {
      INFO(name);
      const Reordered reordered(features, frozen, name);
      REQUIRE(reordered.order.nodes.size() == 60);
      CHECK(reordered.order.nodes != graph::inverse(reordered.order.nodes));  // or nothing would be tested
      NodeBatches batches = reordered.batches();
      CHECK(largest_difference(predict(model, batches, data::Task::classification, {}), expected) < 1e-5F);
      std::vector<nn::AttentionRecord> attention;
      autograd::Tape tape(false);
      batches.forward(model, {.tape = tape, .attention = &attention}, {});
      REQUIRE(attention.size() == expected_attention.size());
      for (std::size_t layer = 0; layer < attention.size(); ++layer)
        CHECK(largest_difference(attention[layer].weights, expected_attention[layer].weights) < 1e-5F);
    }
  }
}

TEST_CASE("masks by rule follow the given order, whatever the internal order", "[train][reorder][masks]") {
  const data::NodeData data = test::two_groups(data::Task::classification);
  const graph::FrozenGraph frozen = graph::freeze(data.graph, {.self_loops = graph::AddSelfLoops::yes});
  for (const char* mask : {"band:2", "causal", "k_hop:2", "complete"}) {
    INFO(mask);
    json::Value config = test::small_gat();
    config.set("mask", mask);
    nn::Model model(config, {.inputs = 5, .outputs = 2}, 1);
    std::vector<nn::AttentionRecord> expected_attention;
    const Matrix expected = predict(model, data.features, frozen, data::Task::classification, {}, &expected_attention);
    const Reordered reordered(data.features, frozen, "clustering");
    NodeBatches batches = reordered.batches();
    CHECK(largest_difference(predict(model, batches, data::Task::classification, {}), expected) < 1e-5F);
    std::vector<nn::AttentionRecord> attention;
    autograd::Tape tape(false);
    batches.forward(model, {.tape = tape, .attention = &attention}, {});
    REQUIRE(attention.size() == expected_attention.size());
    for (std::size_t layer = 0; layer < attention.size(); ++layer) {
      CHECK(attention[layer].mask == mask);
      CHECK(largest_difference(attention[layer].weights, expected_attention[layer].weights) < 1e-5F);
    }
  }
}

TEST_CASE("without dropout training in another order differs only in the last bits", "[train][reorder]") {
  const data::NodeData data = test::two_groups(data::Task::regression);
  const graph::FrozenGraph frozen = graph::freeze(data.graph, {.self_loops = graph::AddSelfLoops::yes});
  const json::Value config = json::parse(R"({"preset": "gat", "hidden": 8, "heads": 2, "dropout": 0,
                                             "attention_dropout": 0})", "model");
  TrainOptions options;
  options.epochs = 15;
  const auto losses = [&](const std::string& name) {
    const Reordered reordered(data.features, frozen, name);
    NodeBatches batches = reordered.batches();
    nn::Model model(config, {.inputs = 5, .outputs = 2}, 1);
    std::vector<double> values;
    JobHooks hooks;
    hooks.on_epoch = [&](const EpochRecord& record) { values.push_back(record.loss); };
    fit(model, batches, data.labels, data.splits[0], options, hooks);
    return values;
  };
  const std::vector<double> expected = losses("none");
  for (const std::string& name : kNames) {
    const std::vector<double> values = losses(name);
    for (std::size_t epoch = 0; epoch < 15; ++epoch) CHECK(values[epoch] == Approx(expected[epoch]).epsilon(1e-4));
  }
}

TEST_CASE("auto does not reorder what fits the cache or cannot pay", "[train][reorder]") {
  const graph::FrozenGraph small = graph::freeze(graph::uniform_graph(32'768, 4, 1), 32'768);
  CHECK(choose_order("auto", 1e9, small).name == "none");
  CHECK(choose_order("auto", 1e9, small).note.empty());
  CHECK(choose_order("auto", 1e9, graph::freeze(graph::Csr{}, 0)).nodes.empty());
  const graph::FrozenGraph large = graph::freeze(graph::community_graph({.nodes = 40'000}).incoming, 40'000);
  const NodeOrder once = choose_order("auto", 1e-3, large);
  CHECK(once.nodes.empty());
  CHECK_THAT(once.note, Contains("stay as they are"));
  const NodeOrder often = choose_order("auto", 1e9, large);
  CHECK(often.name == "clustering");
  CHECK(choose_order(often.name, 1, large).nodes == often.nodes);
  CHECK_THAT(often.note, Contains("reorder: clustering (") && Contains("of the reads along edges go to memory"));
  const graph::FrozenGraph random = graph::freeze(graph::uniform_graph(40'000, 4, 1), 40'000);
  CHECK(choose_order("auto", 1e3, random).nodes.empty());  // there is nothing to put side by side
  CHECK_THROWS_WITH(choose_order("sorted", 1, small), Contains("expected none, degree"));
}

TEST_CASE("jobs in another order resume to the same bits, at any number of threads", "[train][reorder][checkpoint]") {
  const test::TemporaryDirectory directory;
  train::Config config = friends_config(directory);
  config.training.reorder = "clustering";
  config.training.stopping.patience = 0;
  const Dataset data = read_dataset(config.data);
  const int before = threads();
  set_threads(1);
  Run whole = run_job(config, data, 0);
  CHECK(whole.order == "clustering");
  CHECK(whole.trained->training.options.at("reorder").as_string() == "clustering");
  CHECK(metric(whole.report.test, "accuracy") > 0.7);
  set_threads(3);
  CHECK(run_job(config, data, 0).predictions == whole.predictions);
  set_threads(before);

  JobHooks hooks;
  hooks.checkpoint = (directory.path() / "c").string();
  hooks.checkpoint_at_end = true;
  config.training.epochs = 25;
  run_job(config, data, 0, hooks);
  CHECK(read_checkpoint_order(hooks.checkpoint) == "clustering");
  JobHooks resume;
  resume.resume = hooks.checkpoint;
  config.training.epochs = 60;
  CHECK(run_job(config, data, 0, resume).predictions == whole.predictions);
  config.training.reorder = "auto";  // uses the order of the checkpoint instead of choosing again
  CHECK(run_job(config, data, 0, resume).predictions == whole.predictions);
  config.training.reorder = "degree";
  CHECK_THROWS_WITH(run_job(config, data, 0, resume), Contains("another training.reorder: \"clustering\" there"));
}

TEST_CASE("auto equals none on a small graph, bit for bit", "[train][reorder]") {
  const test::TemporaryDirectory directory;
  train::Config config = friends_config(directory);
  const Dataset data = read_dataset(config.data);
  const Run plain = run_job(config, data, 0);
  config.training.reorder = "auto";
  const Run automatic = run_job(config, data, 0);
  CHECK(automatic.order == "none");
  CHECK(automatic.predictions == plain.predictions);
}
