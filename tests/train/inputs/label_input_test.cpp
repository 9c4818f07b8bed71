#include "edgewise/train/inputs/label_input.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/model/model_input.hpp"
#include "edgewise/train/use/selection.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

constexpr graph::Node kPeople = 600;

/// Three communities with random node numbers and noise as features: only the labels of friends reveal the class of a
/// node. With `is_random` the labels are random, and nothing reveals them.
Dataset communities(bool is_sparse, bool is_random = false, data::Task task = data::Task::classification) {
  Random random(8, Stream::generate);
  graph::EdgeList edges;
  std::vector<graph::Node> members[3];
  std::vector<std::int32_t> community(kPeople);
  for (graph::Node v = 0; v < kPeople; ++v)
    members[community[v] = static_cast<std::int32_t>(random.below(3))].push_back(v);
  for (graph::Node v = 0; v < kPeople; ++v)
    for (int k = 0; k < 4; ++k) {
      const std::vector<graph::Node>& own = members[community[v]];
      const bool is_own = random.uniform() < 0.9;
      edges.sources.push_back(is_own ? own[random.below(own.size())] : static_cast<graph::Node>(random.below(kPeople)));
      edges.targets.push_back(v);
    }
  Dataset data;
  data.name = "communities";
  data.reading.label = {"class"};
  data.graph = graph::Graph(graph::NodeNames::numbered(kPeople), std::move(edges), {});
  data.features.dense = Matrix::NullaryExpr(kPeople, 2, [&] { return static_cast<float>(random.normal()); });
  data.features.is_sparse = is_sparse;
  if (is_sparse) {
    data.features.sparse = data.features.dense.sparseView();
    data.features.sparse.makeCompressed();
  }
  data.labels.task = task;
  if (is_random)
    for (std::int32_t& of : community) of = static_cast<std::int32_t>(random.below(3));
  if (task == data::Task::classification) {
    data.labels.names = {"a", "b", "c"};
    data.labels.classes = community;
    return data;
  }
  data.labels.names = {"y"};
  data.labels.targets.resize(kPeople, 1);
  for (graph::Node v = 0; v < kPeople; ++v)
    data.labels.targets(v, 0) = 10.0F + 20.0F * static_cast<float>(community[v]);
  return data;
}

Config job(double label_input, const std::string& model = R"({"preset": "sage", "hidden": 16, "dropout": 0.2})") {
  Config config =
      parse_config(json::parse(R"({"training": {"epochs": 80, "learning_rate": 0.02, "patience": 80}})", "c"));
  config.model = json::parse(model, "m");
  config.training.label_input = label_input;
  config.correct_and_smooth = Smoothing::never;
  return config;
}

double test_accuracy(const Run& run) { return metric(run.report.test, "accuracy"); }

}  // namespace

TEST_CASE("labels of neighbours help when nothing else does", "[train][label_input]") {
  const bool is_sparse = GENERATE(false, true);
  const Dataset data = communities(is_sparse);
  CHECK(test_accuracy(run_job(job(0), data, 0)) < 0.6);
  const Run run = run_job(job(0.5), data, 0);
  CHECK(test_accuracy(run) > 0.75);
  CHECK(run.trained->label_input == 0.5);
  CHECK(run.trained->model.shape().inputs == 2 + 3);
  CHECK(run.trained->training.options.at("label_input") == json::Value(0.5));
}

TEST_CASE("numeric labels of neighbours help as well", "[train][label_input]") {
  const Dataset data = communities(false, false, data::Task::regression);
  const auto rmse = [&](double share) { return metric(run_job(job(share), data, 0).report.test, "rmse"); };
  CHECK(rmse(0.5) < 0.8 * rmse(0));
}

TEST_CASE("no node sees its own label", "[train][label_input]") {
  // Random labels: a model that saw the labels of the nodes it is scored on would get all of them right.
  const Dataset data = communities(true, true);
  Config config = job(0.5, R"({"preset": "mlp", "hidden": 16, "dropout": 0})");
  config.training.stopping.rule = StoppingRule::none;
  double loss = 0;
  JobHooks hooks;
  hooks.on_epoch = [&](const EpochRecord& record) { loss = record.loss; };
  const Run run = run_job(config, data, 0, hooks);
  CHECK(loss > 0.9);  // log 3 is 1.0986
  CHECK(metric(run.report.validation, "accuracy") < 0.5);
  CHECK(test_accuracy(run) < 0.5);
  // The same with visible labels: hiding makes the difference.
  const std::vector<graph::Node> train = data::nodes_with_role(run.split, data::Role::train);
  data::Features features = data.features;
  append_labels(data.labels, {}, train, features);
  nn::Model model(run.trained->model.config(), run.trained->model.shape(), 1);
  const graph::FrozenGraph frozen = graph::freeze(data.graph, model.graph_options());
  fit(model, features, data.labels, frozen, run.split, config.training, hooks);
  CHECK(loss < 0.1);
}

TEST_CASE("label input gives the same bits at any number of threads, in any order, across a resume",
          "[train][label_input]") {
  const test::TemporaryDirectory directory;
  const int before = threads();
  const Dataset data = communities(true);
  for (const char* order : {"none", "degree"}) {
    Config config = job(0.6, R"({"preset": "gat", "hidden": 8, "heads": 2, "dropout": 0.3})");
    config.training.epochs = 12;
    config.training.reorder = order;
    const auto run = [&](int count, const JobHooks& hooks) {
      set_threads(count);
      return run_job(config, data, 0, hooks).predictions;
    };
    const Matrix alone = run(1, {});
    CHECK(run(3, {}) == alone);
    std::int64_t epochs = 0;
    JobHooks first, second;
    first.on_epoch = [&](const EpochRecord& record) { epochs = record.epoch; };
    first.should_stop = [&] { return epochs == 5; };
    first.checkpoint = second.resume = directory.path("c");
    run(2, first);
    CHECK(run(1, second) == alone);
    config.training.label_input = 0.4;
    CHECK_THROWS_WITH(run(1, second), Contains("another training.label_input: 0.6 there, 0.4 here"));
  }
  set_threads(before);
}

TEST_CASE("a model file keeps that labels are input, and which are shown", "[train][label_input]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("m.safetensors");
  const Dataset data = communities(true);
  Run run = run_job(job(0.5), data, 2);
  save_trained_model(path, *run.trained);
  TrainedModel trained = load_trained_model(path);
  CHECK(trained.label_input == 0.5);
  const auto answers = [&](const Dataset& of) {
    return predict(trained, of, make_inputs(trained, of, {.split = trained.split}));
  };
  const Matrix all = answers(data);
  CHECK(all == run.predictions);

  // Some nodes, at the cost of what they see.
  const std::vector<ModelInput> inputs = make_inputs(trained, data, {.split = trained.split});
  const std::vector<graph::Node> some = {5, 77, 300};
  CHECK(predict_selection(trained, inputs, {}, some).values == Matrix(all(some, Eigen::all)));

  // Labels of other parts are not shown, so their values change nothing.
  Dataset other = data;
  for (graph::Node v = 0; v < kPeople; ++v)
    if (run.split[v] != data::Role::train) other.labels.classes[v] = (other.labels.classes[v] + 1) % 3;
  other.splits = {run.split};  // a stratified split depends on the labels
  trained.split.kind = SplitKind::given;
  CHECK(answers(other) == all);

  // A graph without known labels.
  Dataset unknown = data;
  unknown.labels = {};
  std::vector<std::string> notes;
  const data::Features blank = features_for(trained, unknown, trained.split, &notes);
  CHECK(blank.columns() == 5);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("none are known"));

  run.trained->label_input = 2;
  save_trained_model(path, *run.trained);
  CHECK_THROWS_WITH(load_trained_model(path), Contains("label_input: 2 is not a share"));
}

TEST_CASE("known labels become columns by task", "[train][label_input]") {
  constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
  data::Labels labels;
  labels.task = data::Task::multilabel;
  labels.names = {"x", "y"};
  labels.targets.resize(3, 2);
  labels.targets << 1, 0, kUnknown, 1, 1, 1;
  data::Features features;
  features.dense = Matrix::Constant(3, 1, 9);
  append_labels(labels, {}, std::vector<graph::Node>{0, 1}, features);
  CHECK(features.dense == (Matrix(3, 3) << 9, 1, -1, 9, 0, 1, 9, 0, 0).finished());

  labels.task = data::Task::regression;
  const std::vector<graph::Node> known = {0, 2};
  const data::TargetScaler scaler = data::TargetScaler::fit(labels.targets, known);
  features.dense = Matrix::Constant(3, 1, 9);
  append_labels(labels, scaler, known, features);
  CHECK(features.dense == (Matrix(3, 4) << 9, 0, -1, 1, 9, 0, 0, 0, 9, 0, 1, 1).finished());
}

TEST_CASE("label input is refused if it is meaningless", "[train][label_input]") {
  const auto parse = [](const std::string& share) {
    return parse_config(json::parse(R"({"training": {"label_input": )" + share + "}}", "c")).training.label_input;
  };
  CHECK(parse("0.25") == 0.25);
  CHECK(parse("\"0.25\"") == 0.25);
  CHECK(parse("\"auto\"") < 0);
  for (const char* wrong : {"1", "-0.5", "\"much\"", "\"0.5x\"", "[]"})
    CHECK_THROWS_WITH(parse(wrong), Contains("training.label_input: expected \"auto\" or a share"));
  Dataset graphs = communities(false);
  graphs.graphs.emplace();
  CHECK_THROWS_AS(run_job(job(0.5), graphs, 0), Error);
}
