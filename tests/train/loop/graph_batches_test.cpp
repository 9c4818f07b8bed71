#include "edgewise/train/loop/graph_batches.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "support/gradient_check.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_graphs.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using train::GraphBatches;

namespace {

struct GraphToy {
  explicit GraphToy(data::Task task = data::Task::classification) : data(test::rings_and_paths(task)) {}

  data::GraphData data;
  nn::Model model = test::counting_model(data);
  GraphBatches batches{data.features, test::freeze_union(data), {.batch_size = 8}};

  train::Report fit(std::int64_t epochs, const train::FitHooks& hooks = {}) {
    train::TrainOptions options;
    options.epochs = epochs;
    options.learning_rate = 0.01;
    options.seed = 3;
    return train::fit(model, batches, data.labels, data.splits[0], options, hooks);
  }
};

std::vector<graph::Node> range(std::size_t count) {
  std::vector<graph::Node> items(count);
  std::iota(items.begin(), items.end(), graph::Node{0});
  return items;
}

std::vector<Matrix> parameters_of(nn::Model& model) {
  std::vector<Matrix> all;
  for (autograd::Parameter* parameter : model.parameters()) all.push_back(parameter->value);
  return all;
}

}  // namespace

TEST_CASE("Steps contain each graph once, in a new order per epoch, in sizes that differ by one", "[train][graphs]") {
  GraphToy toy;
  const auto steps = toy.batches.training_batches(toy.model, range(21), 7, 0);
  REQUIRE(steps.size() == 3);
  std::vector<graph::Node> all;
  for (const auto& step : steps) {
    CHECK(step.size() == 7);
    all.insert(all.end(), step.begin(), step.end());
  }
  CHECK(all != range(21));
  std::sort(all.begin(), all.end());
  CHECK(all == range(21));
  CHECK(toy.batches.training_batches(toy.model, range(21), 7, 0) == steps);
  CHECK(toy.batches.training_batches(toy.model, range(21), 7, 1) != steps);
  CHECK(toy.batches.training_batches(toy.model, range(21), 8, 0) != steps);
}

TEST_CASE("Graph-level training learns classes and numbers", "[train][graphs]") {
  GraphToy classes;
  CHECK(train::metric(classes.fit(80).test, "accuracy") > 0.8);
  GraphToy numbers(data::Task::regression);
  CHECK(train::metric(numbers.fit(120).test, "rmse") < 6);  // the mean gives 10
}

TEST_CASE("Training on large graphs survives a high learning rate", "[train][graphs]") {
  // With unscaled sums of two hundred rows the loss would stay at that of the mean: the first steps would switch off
  // the units of the last network.
  data::GraphData data = test::rings_and_paths(data::Task::regression, 60, 200);
  for (std::size_t g = 0; g < 60; ++g) {
    const auto level = static_cast<float>(g % 7);
    data.labels.targets(static_cast<Eigen::Index>(g), 0) = 10 * level;
    const graph::Node first = data.offsets[g];
    data.features.dense.col(2).segment(first, data.offsets[g + 1] - first).setConstant(level);
  }
  GraphBatches batches(data.features, test::freeze_union(data), {.batch_size = 4});
  train::TrainOptions options{.epochs = 12, .optimiser = "adamw", .learning_rate = 0.03, .clip_norm = 5};
  options.metric = "rmse";
  const json::Value config = json::parse(R"({"preset": "gatv2", "hidden": 32, "heads": 4, "layers": 2, "norm": "layer",
                                             "residual": "pre_norm", "readout": "sum_mean_max"})",
                                         "model");
  for (options.seed = 0; options.seed < 3; ++options.seed) {
    nn::Model model(config, {.inputs = 3, .outputs = 1}, options.seed);
    const train::Report report = train::fit(model, batches, data.labels, data.splits[0], options);
    INFO("seed " << options.seed);
    CHECK(train::metric(report.train, "rmse") < 10);  // the mean alone gives 20
  }
}

TEST_CASE("Graph-level training gives the same bits at 1 and 3 threads", "[train][graphs]") {
  const auto run = [](int thread_count) {
    const int before = threads();
    set_threads(thread_count);
    GraphToy toy;
    toy.fit(3);
    set_threads(before);
    return parameters_of(toy.model);
  };
  CHECK(run(1) == run(3));
}

TEST_CASE("A resumed graph-level training ends in the same bits", "[train][graphs][checkpoint]") {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "run.checkpoint").string();
  GraphToy whole;
  whole.fit(9);
  GraphToy first;
  train::FitHooks stop;
  int epochs = 0;
  stop.should_stop = [&] { return ++epochs == 4; };
  stop.checkpoint = path;
  first.fit(9, stop);
  GraphToy second;
  train::FitHooks go_on;
  go_on.resume = path;
  second.fit(9, go_on);
  CHECK(parameters_of(second.model) == parameters_of(whole.model));
}

TEST_CASE("The prediction for a graph does not depend on its batch", "[train][graphs]") {
  GraphToy toy;
  const Matrix all = train::predict(toy.model, toy.batches, data::Task::regression,
                                    data::TargetScaler::fit(Matrix::Ones(2, 2), range(2)));
  autograd::Tape tape(false);
  for (const graph::Node item : {0U, 5U, 11U, 59U}) {
    const graph::Node items[] = {item};
    tape.reset(false);
    const Matrix alone = toy.batches.forward(toy.model, {.tape = tape}, items).value();
    CHECK((alone.row(0).array() + 1 - all.row(item).array()).abs().maxCoeff() < 1e-5F);
  }
}

TEST_CASE("Edges as nodes: nodes attend to their edges, with rows made in the batch", "[train][graphs][masks]") {
  const json::Value config = json::parse(R"({"blocks": [
      {"type": "linear", "width": 8},
      {"type": "node_set", "set": "edges", "blocks": [
        {"type": "linear", "width": 8},
        {"type": "residual", "blocks": [{"type": "gatv2", "mask": "ends", "heads": 2, "width": 4}]},
        {"type": "residual", "blocks": [{"type": "dot_product", "mask": "line", "heads": 2, "width": 4}]}]},
      {"type": "residual", "blocks": [{"type": "gatv2", "mask": "incident", "heads": 2, "width": 4}]},
      {"type": "readout", "kind": "sum"}, {"type": "linear", "width": "outputs"}]})",
                                         "model");
  for (const int edge_features : {0, 2}) {
    INFO(edge_features);
    GraphToy toy;
    graph::GraphUnion all = test::freeze_union(toy.data);
    all.graph.edge_features = Matrix::Zero(static_cast<Eigen::Index>(all.graph.slot_count()), edge_features);
    for (graph::EdgeIndex slot = 0; edge_features > 0 && slot < all.graph.slot_count(); ++slot)
      all.graph.edge_features.row(static_cast<Eigen::Index>(slot))
          .setConstant(static_cast<float>(all.graph.edge[slot] % 5));
    GraphBatches batches(toy.data.features, all, {.batch_size = 8});
    nn::Model model(config, {.inputs = 3, .outputs = 2, .edge_features = edge_features}, 1);
    const graph::Node items[] = {59, 5, 11, 0};
    autograd::Tape tape(false);
    const Matrix together = batches.forward(model, {.tape = tape}, items).value();
    for (Eigen::Index i = 0; i < 4; ++i) {
      tape.reset(false);
      const Matrix alone =
          batches.forward(model, {.tape = tape}, std::span(items).subspan(static_cast<std::size_t>(i), 1)).value();
      CHECK((alone.row(0) - together.row(i)).cwiseAbs().maxCoeff() < 1e-5F);
    }
    tape.reset(true);
    const autograd::Variable outputs = batches.forward(model, {.tape = tape, .is_training = true}, items);
    tape.backward(autograd::sum(autograd::multiply(outputs, outputs)));
    for (const autograd::Parameter* parameter : model.parameters())
      if (parameter->name.find("blocks.1.blocks.0.weight") != std::string::npos && edge_features > 0)
        CHECK(parameter->gradient.norm() > 0);
  }
}

TEST_CASE("Masks of a batch are those of its graphs side by side", "[train][graphs][masks]") {
  const GraphToy toy;
  for (const char* mask : {"k_hop:2", "band:2", "complete", "star"}) {
    INFO(mask);
    GraphBatches batches(toy.data.features, test::freeze_union(toy.data), {.batch_size = 8});
    json::Value config = json::parse(R"({"preset": "gatv2", "hidden": 8, "heads": 2, "readout": "sum"})", "model");
    config.set("mask", mask);
    nn::Model model(config, {.inputs = 3, .outputs = 2}, 1);
    const graph::Node items[] = {0, 5, 11, 59};
    autograd::Tape tape(false);
    const Matrix together = batches.forward(model, {.tape = tape}, items).value();
    for (Eigen::Index i = 0; i < 4; ++i) {
      tape.reset(false);
      const Matrix alone =
          batches.forward(model, {.tape = tape}, std::span(items).subspan(static_cast<std::size_t>(i), 1)).value();
      CHECK((alone.row(0) - together.row(i)).cwiseAbs().maxCoeff() < 1e-5F);
    }
  }
  nn::Model foreign(
      json::parse(R"({"blocks": [{"type": "readout", "kind": "sum"}, {"type": "linear", "width": "outputs"}]})", "m"),
      {.inputs = 3, .outputs = 2, .node_sets = {{"memory", 4}}}, 1);
  GraphBatches batches(toy.data.features, test::freeze_union(toy.data), {.batch_size = 8});
  CHECK_THROWS_WITH(batches.check_fits(foreign), Contains("needs the node set \"memory\""));
}

TEST_CASE("A graph without a label affects neither the loss nor the weights", "[train][graphs]") {
  GraphToy toy(data::Task::regression);
  toy.data.labels.targets(0, 0) = std::numeric_limits<float>::quiet_NaN();
  toy.fit(3);
  GraphToy other(data::Task::regression);
  other.data.labels.targets(0, 0) = std::numeric_limits<float>::quiet_NaN();
  other.data.features.dense.topRows(other.data.offsets[1]) *= 100;
  GraphBatches batches(other.data.features, test::freeze_union(other.data), {.batch_size = 8});
  other.fit(3);
  CHECK(parameters_of(toy.model) == parameters_of(other.model));
}

TEST_CASE("Graph batches refuse models and data that do not match", "[train][graphs]") {
  GraphToy toy;
  nn::Model of_nodes(json::parse(R"({"blocks": [{"type": "linear", "width": "outputs"}]})", "model"),
                     {.inputs = 3, .outputs = 2}, 1);
  CHECK_THROWS_WITH(toy.batches.check_fits(of_nodes), Contains("no readout"));
  data::Features narrow;
  narrow.dense = Matrix::Zero(toy.data.features.dense.rows(), 2);
  const GraphBatches batches(narrow, test::freeze_union(toy.data));
  CHECK_THROWS_WITH(batches.check_fits(toy.model), Contains("2 feature columns, the model is made for 3"));
  CHECK_THROWS_AS(GraphBatches(narrow, test::freeze_union(toy.data), {.batch_size = 0}), UsageError);
  data::Features sparse;
  sparse.is_sparse = true;
  CHECK_THROWS_AS(GraphBatches(sparse, test::freeze_union(toy.data), {.sign_columns = 1}), UsageError);
}

TEST_CASE("Masked nodes show no features, and others are masked in each epoch", "[train][graphs]") {
  const data::GraphData data = test::rings_and_paths(data::Task::classification);
  const auto nodes = static_cast<std::size_t>(data.features.dense.rows());
  const Eigen::Index columns = data.features.dense.cols();
  train::GraphBatchOptions options{.batch_size = 8, .labelled = train::Labelled::nodes};
  GraphBatches plain(data.features, test::freeze_union(data), options);
  options.masked = {.columns = columns, .share = 0.25};
  GraphBatches masked(data.features, test::freeze_union(data), options);
  nn::Model model(json::parse(R"({"blocks": [{"type": "linear", "width": "outputs"}]})", "m"),
                  {.inputs = static_cast<int>(columns), .outputs = 3}, 1);
  model.parameters()[1]->value << 1, 2, 3;  // the bias: all that is left of a node without features
  autograd::Tape tape(false);
  const std::vector<graph::Node> asked = {5, 0, 17};
  Matrix bias(3, 3);
  bias << 1, 2, 3, 1, 2, 3, 1, 2, 3;
  CHECK(Matrix(masked.forward(model, {.tape = tape}, asked).value()) == bias);
  CHECK(Matrix(plain.forward(model, {.tape = tape}, asked).value()) != bias);

  const auto first = masked.training_batches(model, range(nodes), 7, 0);
  std::size_t count = 0;
  for (const auto& step : first) count += step.size();
  CHECK((count > nodes / 5 && count < nodes * 3 / 10));
  CHECK(masked.training_batches(model, range(nodes), 7, 0) == first);
  CHECK(masked.training_batches(model, range(nodes), 7, 1) != first);
  options.labelled = train::Labelled::graphs;
  CHECK_THROWS_AS(GraphBatches(data.features, test::freeze_union(data), options), UsageError);
}

TEST_CASE("sparse features are masked as dense ones are", "[train][graphs]") {
  const data::GraphData data = test::rings_and_paths(data::Task::classification);
  const Eigen::Index columns = data.features.dense.cols();
  data::Features sparse;
  sparse.is_sparse = true;
  sparse.sparse = data.features.dense.sparseView();
  sparse.sparse.makeCompressed();
  nn::Model model(json::parse(R"({"blocks": [{"type": "linear", "width": "outputs"}]})", "m"),
                  {.inputs = static_cast<int>(columns), .outputs = 3}, 1);
  const std::vector<graph::Node> asked = {5, 0, 17};
  autograd::Tape tape(false);
  for (const Eigen::Index hidden : {columns, columns - 1}) {
    const train::GraphBatchOptions options{
        .batch_size = 8, .labelled = train::Labelled::nodes, .masked = {.columns = hidden, .share = 0.25}};
    GraphBatches of_sparse(sparse, test::freeze_union(data), options);
    GraphBatches of_dense(data.features, test::freeze_union(data), options);
    const Matrix expected = of_dense.forward(model, {.tape = tape}, asked).value();
    CHECK(of_sparse.forward(model, {.tape = tape}, asked).value().isApprox(expected, 1e-5F));
  }
}

TEST_CASE("batches refuse columns, rows and items that do not exist", "[train][graph_batches]") {
  GraphToy toy;
  const graph::GraphUnion graphs = test::freeze_union(toy.data);
  const Eigen::Index columns = toy.data.features.dense.cols();
  const auto make = [&](const train::GraphBatchOptions& options) {
    return GraphBatches(toy.data.features, graphs, options);
  };
  for (const Eigen::Index count : {columns + 1, Eigen::Index{-1}}) {
    const train::GraphBatchOptions masked{.labelled = train::Labelled::nodes, .masked = {.columns = count}};
    CHECK_THROWS_WITH(make(masked), Contains("masked columns, but the nodes have"));
    GraphBatches signs = make({.sign_columns = count});
    autograd::Tape tape(true);
    CHECK_THROWS_WITH(signs.forward(toy.model, {.tape = tape, .is_training = true}, range(3)),
                      Contains("sign columns, but the nodes have"));
  }
  const Matrix descriptors = Matrix::Zero(static_cast<Eigen::Index>(graphs.graph_count()) - 1, 2);
  CHECK_THROWS_WITH(make({.descriptors = &descriptors}), Contains("descriptors has "));
  data::Features narrow = toy.data.features;
  narrow.dense.conservativeResize(narrow.dense.rows() - 1, Eigen::NoChange);
  CHECK_THROWS_WITH(GraphBatches(narrow, graphs), Contains("features has "));

  const auto beyond = static_cast<graph::Node>(toy.batches.item_count());
  autograd::Tape tape(false);
  const std::vector<graph::Node> items = {0, beyond};
  CHECK_THROWS_WITH(toy.batches.training_batches(toy.model, items, 1, 0), Contains("graphs: items contains"));
  CHECK_THROWS_WITH(toy.batches.of_evaluation(toy.model, items), Contains("graphs: items contains"));
  CHECK_THROWS_WITH(toy.batches.forward(toy.model, {.tape = tape}, items), Contains("graphs: items contains"));
}

TEST_CASE("batches refuse offsets that are not those of the nodes", "[train][graph_batches]") {
  const GraphToy toy;
  for (const int by : {-1, 1}) {
    graph::GraphUnion graphs = test::freeze_union(toy.data);
    graphs.offsets.back() += static_cast<graph::Node>(by);
    CHECK_THROWS_AS(GraphBatches(toy.data.features, graphs), UsageError);
  }
  graph::GraphUnion graphs = test::freeze_union(toy.data);
  graphs.offsets.clear();
  CHECK_THROWS_WITH(GraphBatches(toy.data.features, graphs), Contains("expected offsets that ascend from 0"));
}

TEST_CASE("Parts of graphs are read out in any batch", "[train][graphs][components]") {
  const data::GraphData data = test::rings_and_paths(data::Task::regression, 12);
  std::vector<graph::Node> offsets = {0};
  for (std::size_t g = 0; g + 1 < data.offsets.size(); ++g) {
    offsets.push_back((data.offsets[g] + data.offsets[g + 1]) / 2);
    offsets.push_back(data.offsets[g + 1]);
  }
  const Matrix weights = test::random_matrix(24, 1, 5);
  nn::Model model(json::parse(R"({"blocks": [
                    {"type": "components", "sum": true, "blocks": [{"type": "readout", "kind": "sum"}]}]})",
                              "test"),
                  {.inputs = 3, .outputs = 3, .node_sets = {{"components", 1}}}, 1);
  const train::GraphParts parts{.of_each = 2, .offsets = offsets, .weights = &weights};
  GraphBatches batches(data.features, test::freeze_union(data), {.parts = parts});
  batches.check_fits(model);
  const std::vector<graph::Node> items = {7, 0, 11, 3};
  autograd::Tape tape;
  const Matrix found = batches.forward(model, {.tape = tape}, items).value();
  for (std::size_t i = 0; i < items.size(); ++i) {
    Matrix expected = Matrix::Zero(1, 3);
    for (std::size_t part = 2 * items[i]; part < 2 * items[i] + 2; ++part)
      for (graph::Node node = offsets[part]; node < offsets[part + 1]; ++node)
        expected += weights(static_cast<Eigen::Index>(part), 0) * data.features.dense.row(node);
    CHECK((found.row(static_cast<Eigen::Index>(i)) - expected).cwiseAbs().maxCoeff() < 1e-5F);
  }
  GraphBatches without(data.features, test::freeze_union(data));
  CHECK_THROWS_WITH(without.check_fits(model), Contains("it needs the node set \"components\""));
  CHECK_THROWS_WITH(GraphBatches(data.features, test::freeze_union(data),
                                 {.parts = {.of_each = 3, .offsets = offsets, .weights = &weights}}),
                    Contains("parts"));
}
